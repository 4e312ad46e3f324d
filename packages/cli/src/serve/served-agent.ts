import { subjectsOf, subjectText } from '@longhaul/approvals';
import { type Config, requireGitAccess } from '@longhaul/config';
import { type Dispatcher, type DriverFor, Runtime, type RuntimeOptions, type Tool } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import type { Session } from '@longhaul/protocol';
import type { ServedAgent } from '@longhaul/server';
import { sessionBudgets } from '../compose/budgets.ts';
import { chooseModel, resolveNamed } from '../compose/choose-model.ts';
import { createDriver } from '../compose/create-driver.ts';
import { DriverCache } from '../compose/driver-cache.ts';
import { type FileTreesOptions, fileTrees } from '../compose/file-trees.ts';
import { sessionHooks } from '../compose/hooks.ts';
import { movingWorkspaces } from '../compose/moving-workspaces.ts';
import { driverOptions, nameOf, runtimeOptions } from '../compose/open-agent.ts';
import { McpServers } from '../compose/open-mcp.ts';
import { openSandbox } from '../compose/open-sandbox.ts';
import type { Storage } from '../compose/open-storage.ts';
import { outsideInstructions } from '../compose/outside-instructions.ts';
import { sessionSkills, shownSkills } from '../compose/skills.ts';
import { isImportedModel } from '../import/imported-model.ts';
import { importUpload } from './import-upload.ts';
import { ReportedWarnings } from './reported-warnings.ts';
import { type OwnModel, servedModels } from './served-models.ts';
import type { ServedSettings } from './served-settings.ts';
import { servedTrust } from './served-trust.ts';
import { TrustNotices } from './trust-notices.ts';

export interface ServedAgentOptions {
  settings: ServedSettings;
  storage: Storage;
  /** Maps chats to sessions. */
  chats: CacheStore;
  /** Spreads the sessions over several servers. Default: this one drives them. */
  dispatcher?: Dispatcher | undefined;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The folder that sessions work in, if no other is configured. */
  workspace: string;
  /** Without a token, every program on this machine could trust, also one that the agent started. */
  hasToken: boolean;
  /**
   * The model of sessions that name none, and of those that name it. Read when a run starts. Default: as configured.
   */
  ownModel?: () => OwnModel | undefined;
  /** Returns the tools of a session. Default: those of its agent. */
  wrapTools?: (tools: readonly Tool[], session: Session) => readonly Tool[];
}

/** Creates the agent of a server. Models are opened when a session names them. */
export async function servedAgent(options: ServedAgentOptions): Promise<ServedAgent> {
  const { settings, storage, chats, dispatcher, env, home, hasToken, wrapTools } = options;
  const driverFor = currentDrivers(options);
  const notices = new TrustNotices();
  const mcp = new McpServers({ config: () => settings.config, env });
  const configWarnings = new ReportedWarnings();
  const fixed = {
    ...storage,
    compression: settings.compression,
    summariserFor: async (own, signal) => {
      const { summariser } = settings;
      if (summariser === 'none') return undefined;
      return driverFor(summariser === '__same__' ? own : summariser, signal);
    },
    driverFor,
    dispatcher,
    ...outsideInstructions({ env }),
    toolConnector: mcp,
    ...sessionSkills(() => settings.config, { env }),
    ...sessionHooks(() => settings.config, { env }),
    ...sessionBudgets(() => settings.config, { env, workspace: options.workspace }),
    openSandbox: (session, signal, recordProcess) =>
      openSandbox(settings.config, { session, signal, env, recordProcess }),
    async prepareRun({ id }) {
      await settings.reloadIfChanged();
      const { pruningNotice } = settings;
      const warnings =
        pruningNotice === undefined ? [] : [{ type: 'context:warning' as const, message: pruningNotice }];
      return [
        ...notices.forRun(id, settings.project),
        ...warnings,
        ...configWarnings.forRun(id, settings.config),
      ];
    },
  } satisfies Partial<RuntimeOptions>;
  const runtimeSettings = withCurrent(fixed, settings, { storage, env, wrapTools });
  const runtime = new Runtime(runtimeSettings);
  return {
    ...storage,
    runtime,
    settings,
    config: { get: async () => settings.shown() },
    chats,
    dispatcher,
    ownFolders: {
      workspaces: () => runtimeSettings.movingWorkspaces,
      requireGit: (source) => requireGitAccess(source, settings.config.git),
    },
    agents: { list: () => settings.agents.list(), get: (name) => settings.agents.get(name) },
    models: servedModels({ config: () => settings.config, env, driverFor, ownModel: options.ownModel }),
    skillsOf: async (folder) => await shownSkills(folder, settings.config, { env }),
    mcp,
    trust: servedTrust({ env, home, hasToken, settings, notices, runtime }),
    alwaysAllows: async ({ toolName, args, workspace }) => {
      const subjects = await subjectsOf({ toolName, input: args, workspacePath: workspace });
      return subjects.map(subjectText);
    },
    importer: { import: (file, given) => importUpload(file, { ...given, storage }) },
  };
}

/** Returns drivers of the current configuration. Each is opened once. */
function currentDrivers({
  settings,
  storage,
  env,
  ownModel = () => undefined,
}: ServedAgentOptions): DriverFor {
  const openWith = (config: Config, own: OwnModel | undefined) =>
    new DriverCache(async (name, signal) => {
      const from = { config, storage: Promise.resolve(storage), signal };
      if (own !== undefined && nameOf(own.model) === name) {
        return (await createDriver(own.model, driverOptions({ ...from, window: own.window }))).driver;
      }
      // An imported session uses the model that a run would use.
      const model = isImportedModel(name)
        ? await chooseModel(config, {}, env)
        : resolveNamed(config, { model: name }, env);
      return (await createDriver(model, driverOptions(from))).driver;
    });
  let opened = { config: settings.config, own: ownModel(), drivers: openWith(settings.config, ownModel()) };
  return (name, signal) => {
    const { config } = settings;
    const own = ownModel();
    if (opened.config !== config || opened.own !== own)
      opened = { config, own, drivers: openWith(config, own) };
    return opened.drivers.driverFor(name, signal);
  };
}

/** Adds the options that depend on the configuration alone. Runs read them when they start, so none is copied here. */
function withCurrent<Fixed extends object>(
  fixed: Fixed,
  settings: ServedSettings,
  { wrapTools = (tools) => tools, ...place }: FileTreesOptions & Pick<ServedAgentOptions, 'wrapTools'>,
) {
  const make = ({ config, agents, settingsOf }: ServedSettings) => {
    const trees = fileTrees(config, place);
    return {
      config,
      options: {
        ...runtimeOptions(config, { agents, settingsOf, ask: 'wait' }),
        fileTrees: trees,
        movingWorkspaces: movingWorkspaces(config, { storage: place.storage, trees }),
      },
    };
  };
  let made = make(settings);
  const now = () => {
    if (made.config !== settings.config) made = make(settings);
    return made.options;
  };
  const { endProcess, keptOutput } = now();
  return {
    ...fixed,
    endProcess,
    keptOutput,
    get tools() {
      return now().tools;
    },
    get subtasks() {
      return now().subtasks;
    },
    get limits() {
      return now().limits;
    },
    get fileTrees() {
      return now().fileTrees;
    },
    get movingWorkspaces() {
      return now().movingWorkspaces;
    },
    get recordsFiles() {
      return now().recordsFiles;
    },
    get rawToolResults() {
      return now().rawToolResults;
    },
    get titles() {
      return now().titles;
    },
    get askOpenItems() {
      return now().askOpenItems;
    },
    get budgetNotes() {
      return now().budgetNotes;
    },
    get talk() {
      return now().talk;
    },
    get retry() {
      return now().retry;
    },
    get instructionFiles() {
      return now().instructionFiles;
    },
    agentFor(session) {
      const agent = now().agentFor(session);
      return { ...agent, tools: wrapTools(agent.tools, session) };
    },
    approverFor: (context) => now().approverFor(context),
    strategyFor: (name, session) => now().strategyFor(name, session),
    costOf: (usage, driver) => now().costOf(usage, driver),
  } satisfies Partial<RuntimeOptions>;
}
