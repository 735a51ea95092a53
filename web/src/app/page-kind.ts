/** Whether this page is an exported one, which can only be looked at. Exports have their own copy of this file. */
export const IS_EXPORT: boolean = false;
