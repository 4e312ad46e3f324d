import { DEFAULT_LEDGER_SHARE, ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { createNoSandbox } from './no-sandbox.ts';
import { ALLOW_ALL } from './ports/approver.ts';
import { requireToolName } from './ports/define-tool.ts';
import type { BlobStore, ModelDriver, Store, Tool } from './ports/index.ts';
import type { RuntimeOptions } from './runtime/runtime-options.ts';
import { Runtime } from './runtime.ts';

/** All other options of a runtime have defaults. */
export interface CreateRuntimeOptions extends Partial<RuntimeOptions> {
  /** Where sessions are stored. `createMemoryStorage()` of `@longhaul/storage/memory` returns both stores. */
  store: Store;
  blobs: BlobStore;
  /** The driver of the model for all sessions, whatever model they name. `driverFor` replaces it. */
  model: ModelDriver;
  /** Default: none. */
  tools?: readonly Tool[];
}

/**
 * Creates a runtime for a program that embeds the agent.
 *
 * By default, every call of a tool is allowed, sessions have no sandbox (`createNoSandbox`), and older messages are
 * compacted when the window is full. Pass the option of the same name to change one of these.
 *
 * @example
 * const runtime = createRuntime({ ...createMemoryStorage(), model, tools: [clock] });
 */
export function createRuntime({ model, ...options }: CreateRuntimeOptions): Runtime {
  requireOptions({ model, ...options });
  return new Runtime({
    tools: [],
    driverFor: async () => model,
    openSandbox: async ({ workspace }) => createNoSandbox({ workspacePath: workspace }),
    approverFor: () => ALLOW_ALL,
    compression: DEFAULT_COMPRESSION,
    ...options,
  });
}

/** For programs without types: otherwise, the first run would fail somewhere inside. */
function requireOptions({ model, driverFor, store, blobs, tools = [] }: Partial<CreateRuntimeOptions>): void {
  if (store === undefined || blobs === undefined)
    throw new TypeError('createRuntime needs store and blobs. Pass ...createMemoryStorage(), for example.');
  if (model === undefined && driverFor === undefined)
    throw new TypeError('createRuntime needs a model, or driverFor, which returns one.');
  const names = tools.map(({ name }) => name);
  names.forEach(requireToolName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`Two tools have the name ${twice}.`);
}

const DEFAULT_COMPRESSION: RuntimeOptions['compression'] = {
  strategy: new ReactiveOverflowStrategy(),
  auto: true,
  ledgerShare: DEFAULT_LEDGER_SHARE,
};
