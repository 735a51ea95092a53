export { isChoice, isShown, isShownKind, kindOf } from "../view/entry-kind.ts";
