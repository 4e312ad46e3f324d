/** URL of the folder with the built page. */
export const PAGE_FOLDER = new URL('./dist/', import.meta.url);
