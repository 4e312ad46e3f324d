import { registerHooks } from 'node:module';

const ARMED_STORE = new URL('./armed-store.ts', import.meta.url).href;

// The program gets the store with fault points in place of its own, and does not know it.
registerHooks({
  resolve(specifier, context, next) {
    const isStore = specifier === '@longhaul/storage/postgres' && context.parentURL !== ARMED_STORE;
    return isStore ? { url: ARMED_STORE, shortCircuit: true } : next(specifier, context);
  },
});
