import { useEffect, useRef } from "react";

/** What a key does. Return false to let the browser have it. */
export type KeyAction = () => boolean | undefined;

/** Actions by key: `j`, `shift+l`, `arrowleft`, `?`, `mod+k`, `g 1`. */
export type KeyMap = Readonly<Record<string, KeyAction | undefined>>;

const layers: { current: KeyMap }[] = [];
let pendingGo = 0;

/** Time in ms in which a digit counts after `g`. */
const GO_WAIT = 1200;

/** Name of a pressed key as maps write it. */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">,
): string {
  const isMod = event.ctrlKey || event.metaKey;
  const lower = event.key.toLowerCase();
  const isCapital = event.key.length === 1 && lower !== event.key;
  return `${isMod ? "mod+" : ""}${event.altKey ? "alt+" : ""}${isCapital && !isMod ? "shift+" : ""}${lower}`;
}

/** Fields take their keys themselves; so do keys of an input method that is composing. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  return (
    event.isComposing ||
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  if (isTyping(event) && !name.startsWith("mod+") && name !== "escape") return;
  if (document.querySelector("dialog[open]") !== null && !name.startsWith("mod+")) return;
  const withGo = Date.now() - pendingGo < GO_WAIT ? `g ${name}` : name;
  pendingGo = name === "g" && withGo === "g" ? Date.now() : 0;
  for (const layer of layers.toReversed()) {
    const action = layer.current[withGo] ?? layer.current[name];
    if (action !== undefined && action() !== false) {
      event.preventDefault();
      return;
    }
  }
}

/** Begins to listen; called once. */
export function followKeys(): void {
  addEventListener("keydown", pressed);
}

/** Adds keys while the component stands; later ones win over earlier ones. */
export function useKeys(map: KeyMap): void {
  const layer = useRef(map);
  layer.current = map;
  useEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}
