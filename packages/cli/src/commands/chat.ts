import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ConfigInput } from '@longhaul/config';
import { LonghaulError, type Session } from '@longhaul/protocol';
import type { Connection } from '../chat/connection/connection.ts';
import type { Front, FrontOptions } from '../chat/front.ts';
import { drawFirstFrame, eraseFirstFrame } from '../chat/screen/first-frame.ts';
import type { SlashCommand } from '../chat/slash/slash-command.ts';
import { suspended } from '../chat/surface/surface.ts';
import { checkedAddress } from '../command-line/checked-address.ts';
import { CHAT_FLAGS } from '../command-line/flags.ts';
import { oneOf, type ParsedFlags, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { shellWords } from '../command-line/shell-words.ts';
import type { Settings } from '../compose/load-settings.ts';
import type { HeldStorage, Storage } from '../compose/open-storage.ts';
import { shortId } from '../render/format.ts';
import { chooseBackground } from '../render/theme.ts';
import type { Terminal } from '../terminal.ts';

type ChatValues = ParsedFlags<typeof CHAT_FLAGS>['values'];

/** Lines of the server's log that `/bug` writes. */
const LOG_LINES = 200;

/** `longhaul chat`, and `longhaul` alone: a conversation at the terminal. */
export async function chat(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'chat', CHAT_FLAGS);
  const [id, ...others] = positionals;
  if (others.length > 0)
    throw usage('Name one session: longhaul chat ID. A task is given to longhaul run.', 'chat');
  if ([id !== undefined, values.continue === true, values.resume === true].filter(Boolean).length > 1)
    throw usage('Use a session’s id, --continue or --resume, not several of them.', 'chat');
  if (terminal.out.isTTY !== true || terminal.input.isTTY !== true)
    throw usage('A chat needs a terminal. In a script or a pipe: longhaul run "task".', 'chat');
  const isNew = id === undefined && values.continue !== true && values.resume !== true;
  const front = await openFront(values, { terminal, isNew });
  try {
    const used = await converse(id, { values, terminal, front });
    await front.surface.settled;
    front.stop();
    if (used !== undefined) terminal.out.write(`To resume: ${resumeText(used, values)}\n`);
    return 0;
  } catch (error) {
    await front.surface.settled;
    front.stop();
    throw error;
  }
}

/** Shows the prompt at once, and then loads what edits the text. */
async function openFront(
  values: ChatValues,
  { terminal, isNew }: { terminal: Terminal; isNew: boolean },
): Promise<Front> {
  const appearance = { noColor: values['no-color'], isPlain: values.plain };
  chooseBackground(oneOf(values.theme, '--theme', CHAT_FLAGS.theme.values));
  const drawn = drawFirstFrame(terminal, appearance);
  const front = await loadFront(values, { terminal, ...appearance, isNew, drawn }).catch((error: unknown) => {
    eraseFirstFrame(terminal, drawn);
    throw error;
  });
  front.start();
  // What was typed until now is shown before more is loaded.
  await setImmediate();
  return front;
}

async function loadFront(
  values: ChatValues,
  { terminal, ...options }: Omit<FrontOptions, 'kept'> & { terminal: Terminal },
): Promise<Front> {
  const [{ Front }, { KeptTexts }] = await Promise.all([
    import('../chat/front.ts'),
    import('../chat/composer/kept-texts.ts'),
  ]);
  const { folder, place } = placeOfTexts(values, terminal);
  return new Front(terminal, { ...options, kept: new KeptTexts(folder, place) });
}

/** Opens the chat behind the composer. Returns the session that was used, if any. */
async function converse(
  id: string | undefined,
  { values, terminal, front }: Pick<Opening, 'values' | 'terminal' | 'front'>,
): Promise<string | undefined> {
  await using held = new AsyncDisposableStack();
  const log: string[] = [];
  const opening = open(id, { values, terminal, held, log, front });
  const opened = await Promise.race([opening, front.left]);
  if (opened === undefined) {
    // The user has left already. What is opened in the meantime is closed, and its failure does not matter.
    await opening.catch(() => undefined);
    return undefined;
  }
  const [{ Chat }, { boundMemory }] = await Promise.all([
    import('../chat/chat.ts'),
    import('../bound-memory.ts'),
  ]);
  boundMemory();
  const { connection, commands, session, shownTo } = opened;
  if (values.agent !== undefined) {
    const { requireAgent } = await import('../chat/slash/agent-command.ts');
    requireAgent(values.agent, (await connection.client.agents()).agents);
  }
  const chat = new Chat({ front, connection, commands, log: () => log }, { agent: values.agent });
  await chat.converse({ session, shownTo, picks: values.resume === true });
  return chat.sessionId;
}

interface Opening {
  values: ChatValues;
  terminal: Terminal;
  held: AsyncDisposableStack;
  log: string[];
  front: Front;
}

async function open(id: string | undefined, opening: Opening) {
  const { values, terminal, held } = opening;
  const { loadSettings } = await import('../compose/load-settings.ts');
  const settings = await loadSettings(values, terminal, toConfig(values), {
    asks: true,
    lend: (work) => suspended(opening.front.surface, work),
  });
  const commands = await commandsOf(settings, terminal);
  if (values.attach !== undefined)
    return { ...(await attach(values.attach, id, { ...opening, settings })), shownTo: undefined, commands };
  const { holdStorage } = await import('../compose/open-storage.ts');
  const storage = held.use(holdStorage(settings.config.storage));
  const session = await chosenSession(id, { ...opening, settings, storage });
  const shownTo = session && (await shown(session, { front: opening.front, storage }));
  const connection = held.use(await local(session, { ...opening, settings, storage: await storage.opened }));
  return { connection, session: session?.id, shownTo, commands };
}

async function commandsOf({ workspace, config }: Settings, terminal: Terminal): Promise<SlashCommand[]> {
  const [{ ownCommands }, { customCommands }] = await Promise.all([
    import('../compose/own-commands.ts'),
    import('../chat/slash/custom-commands.ts'),
  ]);
  return customCommands(await ownCommands(workspace, config, terminal));
}

async function attach(
  address: string,
  id: string | undefined,
  { settings, terminal, held, values }: Opening & { settings: Settings },
) {
  const [{ openAttachedConnection }, { tokenPlace }] = await Promise.all([
    import('../chat/connection/attached-connection.ts'),
    import('../serve/token-place.ts'),
  ]);
  const { path } = tokenPlace({
    url: settings.config.storage.url,
    home: settings.home,
    workspaces: [settings.workspace],
  });
  const connection = held.use(await openAttachedConnection(address, { tokenFile: path, env: terminal.env }));
  const { sessions } = await connection.client.sessions.list({
    limit: 200,
    // A child can be opened, but it is never the newest session.
    parent: id === undefined ? 'none' : 'any',
  });
  const session =
    id === undefined
      ? values.continue === true
        ? sessions[0]
        : undefined
      : sessions.find((one) => one.id.startsWith(id));
  if (id !== undefined && session === undefined)
    throw new LonghaulError('session_not_found', `The server has no session that begins with ${id}.`);
  return { connection, session: session?.id };
}

async function chosenSession(
  id: string | undefined,
  { values, terminal, settings, storage, front }: Opening & { settings: Settings; storage: HeldStorage },
): Promise<Session | undefined> {
  if (id === undefined && values.continue !== true) return undefined;
  const { chooseSession } = await import('../session/choose-session.ts');
  const { requireFolderOrSource } = await import('../session/require-folder.ts');
  const { store } = await storage.opened;
  const typed = ['chat', ...(id === undefined ? ['--continue'] : [id])];
  const session = await chooseSession(store, id ?? 'last', {
    settings,
    all: values.all,
    typed,
    terminal,
    lend: (work) => suspended(front.surface, work),
    access: 'change',
  });
  await requireFolderOrSource(session);
  return session;
}

async function shown(session: Session, { front, storage }: { front: Front; storage: HeldStorage }) {
  const { showSession } = await import('../chat/show-session.ts');
  return await showSession(session, { front, store: (await storage.opened).store });
}

async function local(
  session: Session | undefined,
  { values, terminal, settings, storage, log }: Opening & { settings: Settings; storage: Storage },
): Promise<Connection> {
  const { requireOwnFilesOutside } = await import('../session/require-own-files-outside.ts');
  const { requireLocal } = await import('../compose/require-local.ts');
  const { openLocalConnection } = await import('../chat/connection/local-connection.ts');
  const { sessionChoice } = await import('../run/run-plan.ts');
  requireLocal(settings.config.sandbox);
  await requireOwnFilesOutside(session?.workspace ?? settings.workspace, {
    config: settings.config,
    env: terminal.env,
  });
  const baseUrl = checkedAddress(values['base-url']);
  const choice = await sessionChoice(session, {
    choice: {
      model: values.model,
      agent: values.agent,
      baseUrl,
      maxOutput: positiveNumber(values['max-output'], '--max-output', { whole: true }),
      effort: oneOf(values.effort, '--effort', CHAT_FLAGS.effort.values),
    },
    settings,
    store: storage.store,
  });
  return await openLocalConnection({
    settings,
    storage,
    terminal,
    choice: { ...choice, isAddressGiven: baseUrl !== undefined },
    window: positiveNumber(values.window, '--window', { whole: true }),
    onLog: (line) => {
      log.push(line.trimEnd());
      if (log.length > LOG_LINES) log.shift();
    },
  });
}

/** Where drafts and sent messages are kept. */
function placeOfTexts({ attach: address, cwd = '.' }: ChatValues, { env, cwd: from }: Terminal) {
  const data = env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? from, '.local', 'state');
  return { folder: join(data, 'longhaul', 'chat'), place: address ?? join(from, cwd) };
}

function resumeText(sessionId: string, values: ChatValues): string {
  const where = values.attach === undefined ? [] : ['--attach', values.attach];
  const folder = values.cwd === undefined ? [] : ['-C', values.cwd];
  return shellWords(['longhaul', 'chat', shortId(sessionId), ...folder, ...where]);
}

function toConfig(values: ChatValues): ConfigInput {
  return {
    sandbox: {
      driver: oneOf(values.sandbox, '--sandbox', CHAT_FLAGS.sandbox.values),
      network: oneOf(values.network, '--network', CHAT_FLAGS.network.values),
    },
    context: { compression: { strategy: values.strategy } },
    terminal: { theme: oneOf(values.theme, '--theme', CHAT_FLAGS.theme.values) },
  };
}
