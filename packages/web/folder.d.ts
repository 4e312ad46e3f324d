/** URL of the folder with the built page. */
export const PAGE_FOLDER: URL;
/** URL of the folder with the built page of the gateway. */
export const GATEWAY_PAGE_FOLDER: URL;
