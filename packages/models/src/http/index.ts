export { createHostCheck } from './allowed-hosts.ts';
export { createBearerCheck } from './bearer.ts';
export { assertMediaType, assertNotCompressed } from './media-type.ts';
export { createPageCheck, type PageCheck, type PageHeaders } from './page-check.ts';
export { readRequestBody } from './read-request-body.ts';
export { watchBody } from './watch-body.ts';
