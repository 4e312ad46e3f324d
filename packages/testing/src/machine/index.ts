/**
 * What tests of several packages need from the machine they run on. Private to this repository; runs from its sources.
 */
export { bundleForBrowser } from './bundle-for-browser.ts';
export { holdClosedPort } from './closed-port.ts';
export { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
export { llamaProblem } from './llama.ts';
export { type PostgresReplica, startReplica } from './postgres-replica.ts';
export {
  findPostgres,
  type PostgresServer,
  type PostgresServerOptions,
  startPostgres,
} from './postgres-server.ts';
export { processExists } from './process-exists.ts';
export { processesWith } from './processes-with.ts';
export { findBun, findChromium, findFaketime, findNode20 } from './programs.ts';
export { isRequired, lacks } from './required.ts';
export { type S3Server, startS3 } from './s3-server.ts';
