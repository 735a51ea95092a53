import type { SessionRow } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";

const WIDTH = 40;
const HEIGHT = 14;

/** The shape of a session in 40 × 14 px: when its branches leave and end. Decoration; the count stands beside it. */
export function TreeGlyph({ glyph }: { readonly glyph: SessionRow["glyph"] }): ReactElement {
  const lines = [...glyph].sort((a, b) => Number(a.active) - Number(b.active));
  const others = lines.filter(({ active }) => !active);
  const gap = Math.min(4, (HEIGHT - 5) / Math.max(1, others.length));
  return (
    <svg
      className="glyph"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      {others.map(({ from, to }, at) => {
        const key = `${at}-${from}-${to}`;
        const y = 2 + at * gap;
        const start = 2 + from * (WIDTH - 4);
        const end = Math.max(start + 4, 2 + to * (WIDTH - 4));
        return (
          <path
            key={key}
            className="glyph-line"
            d={`M${start} ${HEIGHT - 3}C${start + 2} ${HEIGHT - 3} ${start + 1} ${y} ${start + 4} ${y}H${end}`}
          />
        );
      })}
      <path className="glyph-line active" d={`M2 ${HEIGHT - 3}H${WIDTH - 2}`} />
      <circle className="glyph-tip" cx={WIDTH - 3} cy={HEIGHT - 3} r="2" />
    </svg>
  );
}
