/** URL of the folder with the built page. */
export const PAGE_FOLDER: URL;
