import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { formatCsv, parseRecords } from './csv.js';
import { FLUENT_QUALITY } from './sm2.js';

/** A mistake in how the program was called: reported without a stack, exit code 2. */
export class UsageError extends Error {}

// Every command gets {store, day, args, options, print} and may return an exit code.
export const commands = { add, list, due, review, stats, import: importFile, export: exportDeck, remove };

function add({ store, day, args, print }) {
  const [deck, front, back] = need(args, ['DECK', 'FRONT', 'BACK']);
  const card = store.addCard({ deck, front, back }, day);
  if (card === undefined) throw new UsageError(`"${deck}" already has a card "${front}"`);
  print(`${card.id}  ${deck}: ${front}`);
}

function list({ store, args, print }) {
  const cards = store.cards(args[0]);
  for (const card of cards)
    print(`${card.id}  ${card.due}  ${card.deck}: ${oneLine(card.front)} — ${oneLine(card.back)}`);
  print(`${count(cards.length, 'card')}`);
}

function due({ store, day, args, print }) {
  const cards = store.dueCards(day, args[0]);
  for (const card of cards) print(`${card.id}  ${card.due}  ${card.deck}: ${oneLine(card.front)}`);
  print(`${count(cards.length, 'card')} due on ${day}`);
}

/** One answer given on the command line, or a sitting in which the program asks. */
async function review(call) {
  const { store, day, args, options, print } = call;
  if (options.card === undefined) return sitting(call, store.dueCards(day, args[0]));
  if (options.quality === undefined) throw new UsageError('--card needs --quality 0 to 5');
  if (store.card(options.card) === undefined) throw new UsageError(`No card has the id ${options.card}`);
  const card = store.review(options.card, parseQuality(options.quality), day);
  print(`${card.id}  next on ${card.due}, in ${count(card.intervalDays, 'day')}`);
}

async function sitting({ store, day, print, input, output }, cards) {
  const lines = createInterface({ input, output, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  const again = [];
  let reviewed = 0;
  for (const card of cards) {
    const quality = await ask(card, answers, print);
    if (quality === undefined) break;
    const { due: next } = store.review(card.id, quality, day);
    reviewed += 1;
    print(`  next on ${next}`);
    if (quality < FLUENT_QUALITY) again.push(card);
  }
  // SM-2's last step: repeat what was not fluent until it is. The schedule stays as the first answer set it.
  for (let card = again.shift(); card !== undefined; card = again.shift()) {
    const quality = await ask(card, answers, print);
    if (quality === undefined) break;
    if (quality < FLUENT_QUALITY) again.push(card);
  }
  lines.close();
  print(`${count(reviewed, 'card')} reviewed, ${store.dueCards(day).length} still due on ${day}`);
}

/** The quality typed for a card, or undefined at the end of input or on "q". */
async function ask(card, answers, print) {
  print(`\n${card.deck}: ${card.front}\n  (Enter shows the answer, q ends)`);
  const reveal = await answers.next();
  if (reveal.done || reveal.value.trim() === 'q') return undefined;
  print(`  ${card.back}\n  How well did you know it, 0 to 5?`);
  for (;;) {
    const line = await answers.next();
    if (line.done || line.value.trim() === 'q') return undefined;
    if (/^[0-5]$/.test(line.value.trim())) return Number(line.value);
    print('  A number from 0 (blackout) to 5 (at once), please.');
  }
}

function stats({ store, day, print }) {
  const rows = store.stats(day);
  if (rows.length === 0) return print('No cards yet. Add one, or import a CSV file.');
  print(['deck', 'cards', 'new', 'due', 'mature', 'reviews', 'passed'].join('\t'));
  for (const { deck, cards, fresh, due: waiting, mature, reviews, passed } of rows) {
    const share = reviews === 0 ? '–' : `${Math.round((100 * passed) / reviews)} %`;
    print([deck, cards, fresh, waiting, mature, reviews, share].join('\t'));
  }
}

function importFile({ store, day, args, options, print }) {
  const [file] = need(args, ['FILE']);
  const columns = options.deck === undefined ? ['deck', 'front', 'back'] : ['front', 'back'];
  const records = parseRecords(readFileSync(file, 'utf8'), columns);
  const cards = records.map(({ deck, front, back }) => ({ deck: options.deck ?? deck, front, back }));
  const { added, skipped } = store.addCards(cards, day);
  print(`${count(added, 'card')} imported, ${skipped} already there`);
}

function exportDeck({ store, args, print }) {
  const rows = store.cards(args[0]).map(({ deck, front, back }) => [deck, front, back]);
  print(formatCsv([['deck', 'front', 'back'], ...rows]).slice(0, -1));
}

function remove({ store, args, print }) {
  const [id] = need(args, ['ID']);
  if (!store.removeCard(id)) throw new UsageError(`No card has the id ${id}`);
  print(`${id} removed`);
}

function need(args, names) {
  if (args.length === names.length) return args;
  throw new UsageError(`Expected ${names.join(' ')}, got ${count(args.length, 'argument')}`);
}

function parseQuality(text) {
  if (!/^[0-5]$/.test(text)) throw new UsageError(`--quality must be 0 to 5, got "${text}"`);
  return Number(text);
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ');
}
