/**
 * Exits with 0 if node-llama-cpp loads. It is a separate file because the library starts the program again in a child
 * process.
 */
const library: { getLlama(options: object): Promise<unknown> } = await import('node-llama-cpp');
await library.getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
process.exit(0);
