import type { ReactElement } from "react";
import { type RoleName, roleShape } from "../parts/role-mark.tsx";
import type { TreeRow } from "./tree-rows.ts";

/** Width of one lane and middle of the first, in px. */
const LANE = 14;
const FIRST = 18;
/** Lanes further right share the last place. */
const MAX_LANE = 9;

const at = (lane: number): number => FIRST + Math.min(lane, MAX_LANE) * LANE;

/** Width of the drawing of a row, in px. */
export function gutterWidth(row: TreeRow): number {
  return at(row.lane) + 12;
}

interface GutterParts {
  readonly row: TreeRow;
  readonly role: RoleName;
  readonly height: number;
  readonly isLeaf: boolean;
  /** Width of the row's own line in px; undefined = the plain one. */
  readonly line: number | undefined;
}

/** The lines and the mark of one row, git-log style. Decoration only: the row says it in words. */
export function RowGutter(parts: GutterParts): ReactElement {
  const { row, role, height, isLeaf } = parts;
  const x = at(row.lane);
  const middle = height / 2;
  const width = gutterWidth(row);
  return (
    <svg className="gutter" width={width} height={height} aria-hidden="true">
      <OtherLanes row={row} height={height} />
      <g style={parts.line === undefined ? undefined : { strokeWidth: parts.line }}>
        <OwnLane
          row={row}
          height={height}
          isPinch={role === "compaction" && row.kind === "entry"}
        />
      </g>
      {isLeaf && <circle className="leaf-ring" cx={x} cy={middle} r="8.5" />}
      {row.kind === "entry" && (
        <path
          className={`mark role-${role}`}
          d={roleShape(role)}
          transform={`translate(${x - 5} ${middle - 5})`}
        />
      )}
    </svg>
  );
}

function OtherLanes({
  row,
  height,
}: {
  readonly row: TreeRow;
  readonly height: number;
}): ReactElement {
  const lanes = Math.min(row.lane, MAX_LANE);
  const faded: string[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    if (lane > 0 || !row.trunkActive) faded.push(`M${at(lane)} 0v${height}`);
  }
  return (
    <>
      {faded.length > 0 && <path className="lane" d={faded.join("")} />}
      {row.trunkActive && row.lane > 0 && (
        <path className="lane active" d={`M${at(0)} 0v${height}`} />
      )}
    </>
  );
}

function OwnLane(parts: {
  readonly row: TreeRow;
  readonly height: number;
  readonly isPinch: boolean;
}): ReactElement {
  const { row, height, isPinch } = parts;
  const x = at(row.lane);
  const middle = height / 2;
  const above = row.starts
    ? `M${at(row.lane - 1)} 0C${at(row.lane - 1)} ${middle} ${x} 2 ${x} ${middle}`
    : row.root
      ? ""
      : `M${x} 0V${middle}`;
  const below = row.ends ? "" : `M${x} ${middle}V${height}`;
  const pinch = isPinch
    ? `M${x - 5} 0L${x} ${middle - 5}M${x + 5} 0L${x} ${middle - 5}M${x} ${middle + 5}L${x - 5} ${height}M${x} ${middle + 5}L${x + 5} ${height}`
    : "";
  return (
    <>
      {above !== "" && <path className={laneClass(row, row.active)} d={above} />}
      {below !== "" && <path className={laneClass(row, row.activeBelow)} d={below} />}
      {pinch !== "" && <path className="lane pinch" d={pinch} />}
    </>
  );
}

/** Folded runs are dashed: something is left out. */
function laneClass(row: TreeRow, isActive: boolean): string {
  return `lane${isActive ? " active" : ""}${row.kind === "run" ? " run" : ""}`;
}
