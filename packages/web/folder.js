/** URL of the folder with the built page. */
export const PAGE_FOLDER = new URL('./dist/', import.meta.url);
/** URL of the folder with the built page of the gateway. */
export const GATEWAY_PAGE_FOLDER = new URL('./dist/gateway/', import.meta.url);
