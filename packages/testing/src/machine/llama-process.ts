/** Exits with 0 if node-llama-cpp loads. A file of its own, because the library starts this program once more itself. */
const library: { getLlama(options: object): Promise<unknown> } = await import('node-llama-cpp');
await library.getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
process.exit(0);
