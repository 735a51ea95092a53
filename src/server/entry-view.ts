export {
  CUT_LENGTH,
  type CutEntry,
  cutEntry,
  PREVIEW_CHARACTERS,
  previewOf,
  shortText,
} from "../view/entry-view.ts";
