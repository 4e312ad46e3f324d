/**
 * Flags of Node for a program that runs from the TypeScript sources. Node removes the types with WebAssembly, also in
 * worker threads, and V8 13.6 can crash (SIGSEGV) when it collects such code while threads start and end.
 */
export const FROM_SOURCE: readonly string[] = ['--conditions=longhaul-src', '--no-wasm-code-gc'];
