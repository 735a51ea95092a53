/** Stands in the place of `app/page-kind.ts` in an exported page. */
export const IS_EXPORT: boolean = true;
