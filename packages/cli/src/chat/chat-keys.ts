import { isBlank } from '@longhaul/protocol';
import { fitLine } from '../render/format.ts';
import { droppedImage, type PastedImages } from './composer/pasted-images.ts';
import type { Conversation } from './conversation.ts';
import type { Front } from './front.ts';
import type { PersonCommands } from './person-commands.ts';
import { type KeyId, matchesKey } from './pi-tui.ts';
import type { Remarks } from './remarks.ts';
import { editText, pageText } from './screen/other-programs.ts';
import { textOf } from './session/message-content.ts';
import { suspended } from './surface/surface.ts';
import type { Openables } from './view/openable.ts';

/** A second Ctrl-C or Esc within this time is meant as the second one. */
const TWICE_MS = 1_500;

export interface ChatKeyOptions {
  front: Front;
  conversation: Conversation;
  openables: Openables;
  images: PastedImages;
  commands: PersonCommands;
  remarks: Remarks;
  enter: (text: string) => Promise<void>;
  revert: () => Promise<void>;
}

/** Returns what handles the keys that mean something for the whole chat. It returns undefined for all others. */
export function chatKeys(options: ChatKeyOptions): (data: string) => Promise<void> | undefined {
  const { front, conversation, remarks } = options;
  const presses = new Presses();
  const keys: readonly (readonly [KeyId, () => Promise<void>, (() => boolean)?])[] = [
    ['ctrl+c', () => clearOrStop(options, presses.isSecond('ctrl+c'))],
    ['escape', () => goBack(options, presses.isSecond('escape')), () => !front.surface.isCompleting],
    ['ctrl+d', async () => front.leave(), () => front.surface.text === ''],
    ['ctrl+o', () => openShortened(options)],
    ['ctrl+g', () => edit(options)],
    ['ctrl+r', () => findEarlier(options)],
    ['ctrl+s', () => sendNow(options)],
    ['ctrl+v', () => pasteImage(options)],
    ['alt+up', () => takeBack(options), () => conversation.written.length > 0],
  ];
  return (data) => {
    presses.see(data);
    const dropped = droppedImage(data);
    if (dropped !== undefined) return remarks.guarded(() => attachImage(options, dropped));
    const key = keys.find(([name, , isMeant = () => true]) => matchesKey(data, name) && isMeant());
    return key && remarks.guarded(key[1]);
  };
}

/** Counts a key that is pressed twice in a row, with no other key between. */
class Presses {
  #last: { name: KeyId; at: number } | undefined;

  /** Takes notice of every key. */
  see(data: string): void {
    if (this.#last !== undefined && !matchesKey(data, this.#last.name)) this.#last = undefined;
  }

  isSecond(name: KeyId): boolean {
    const at = performance.now();
    const isSecond = this.#last?.name === name && at - this.#last.at < TWICE_MS;
    this.#last = isSecond ? undefined : { name, at };
    return isSecond;
  }
}

/** Ctrl-C clears or stops; twice leaves. */
async function clearOrStop(options: ChatKeyOptions, isSecond: boolean): Promise<void> {
  const { front, conversation, commands } = options;
  if (isSecond) return front.leave();
  const text = front.surface.text;
  front.notice('Press Ctrl-C again to leave. The session is kept.');
  if (text !== '') {
    front.surface.addToHistory(text);
    front.compose('');
  } else if (commands.areRunning) commands.stop();
  else if (conversation.isBusy) await stopRun(options);
}

/** Esc stops; twice goes back. */
async function goBack(options: ChatKeyOptions, isSecond: boolean): Promise<void> {
  const { front, conversation, commands } = options;
  if (commands.areRunning) return commands.stop();
  if (conversation.isBusy) return await stopRun(options);
  if (front.surface.text !== '' || conversation.id === undefined) return;
  if (isSecond) await options.revert();
  else front.notice('Press Esc again to restore the state before a message.');
}

/** Stops the run. What waits comes back into the composer. */
async function stopRun({ front, conversation }: ChatKeyOptions): Promise<void> {
  const waiting = await conversation.stop();
  addAbove(
    front,
    waiting.map(({ content }) => textOf(content)),
  );
}

async function sendNow({ front, conversation, enter }: ChatKeyOptions): Promise<void> {
  const text = front.surface.text;
  const waits = !conversation.isBusy && conversation.undelivered.length > 0;
  if (waits && isBlank(text)) return await conversation.deliver();
  if (!isBlank(text)) {
    front.compose('');
    await enter(text);
  }
  if (conversation.isBusy && conversation.undelivered.length > 0) await conversation.steer();
}

/** Takes the last waiting message back. */
async function takeBack({ front, conversation, remarks }: ChatKeyOptions): Promise<void> {
  const last = conversation.written.at(-1);
  if (last === undefined) return;
  if (await conversation.unqueue(last.id)) addAbove(front, [textOf(last.content)]);
  else remarks.say('The agent has received this message already.');
}

function addAbove(front: Front, texts: readonly string[]): void {
  const all = [...texts, front.surface.text].filter((text) => text !== '');
  if (texts.length > 0) front.compose(all.join('\n\n'));
}

async function openShortened({ front, openables }: ChatKeyOptions): Promise<void> {
  const items = openables.items.map((item) => ({ value: item, label: item.title }));
  if (items.length === 0) return front.notice('There is no shortened text to open.');
  const item = await front.surface.pick({ title: 'Open in the pager', items });
  if (item === undefined) return;
  const text = await item.text();
  await suspended(front.surface, () => pageText(text, front.terminal));
}

async function pasteImage({ front, images }: ChatKeyOptions): Promise<void> {
  front.surface.insert(`${await images.fromClipboard(front.terminal.env)} `);
}

/** An image that cannot be attached is still a path. */
async function attachImage({ front, images }: ChatKeyOptions, path: string): Promise<void> {
  try {
    front.surface.insert(`${await images.fromFile(path)} `);
  } catch (error) {
    front.surface.insert(path);
    throw error;
  }
}

async function edit({ front }: ChatKeyOptions): Promise<void> {
  const text = front.surface.text;
  front.compose(await suspended(front.surface, () => editText(text, front.terminal)));
}

async function findEarlier({ front }: ChatKeyOptions): Promise<void> {
  const items = front.texts
    .history()
    .toReversed()
    .map((text) => ({ value: text, label: fitLine(text, 100) }));
  const text = await front.surface.pick({ title: 'Messages that you sent in this folder', items });
  if (text !== undefined) front.compose(text);
}
