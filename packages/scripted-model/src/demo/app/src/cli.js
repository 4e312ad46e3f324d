#!/usr/bin/env node
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commands, UsageError } from './commands.js';
import { parseDay, today } from './dates.js';
import { Store } from './store.js';

const HELP = `Flashcards, scheduled with SM-2.

  flashcards add DECK FRONT BACK            add a card, due today
  flashcards list [DECK]                    all cards
  flashcards due [DECK]                     what is to be reviewed today
  flashcards review [DECK]                  review what is due, card by card
  flashcards review --card ID --quality N   record one answer, 0 (blackout) to 5 (at once)
  flashcards stats                          per deck: cards, new, due, mature, reviews
  flashcards import FILE [--deck NAME]      CSV with the columns deck, front, back
  flashcards export [DECK]                  the same as CSV
  flashcards remove ID                      remove a card and its reviews

  --db FILE      the database; default: $FLASHCARDS_DB, else ~/.flashcards.db
  --today DAY    act as if it were this day, such as 2026-03-01
  --help         this text`;

const OPTIONS = {
  db: { type: 'string' },
  today: { type: 'string' },
  deck: { type: 'string' },
  card: { type: 'string' },
  quality: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

process.exitCode = await main(process.argv.slice(2));

/** Exit codes: 0 done, 1 failed, 2 called wrongly. */
async function main(argv) {
  try {
    const { values: options, positionals } = parse(argv);
    const [name, ...args] = positionals;
    if (options.help || name === undefined) {
      console.log(HELP);
      return options.help ? 0 : 2;
    }
    if (!Object.hasOwn(commands, name)) throw new UsageError(`There is no command "${name}"; see --help`);
    await run(commands[name], args, options);
    return 0;
  } catch (error) {
    console.error(`flashcards: ${error.message}`);
    return error instanceof UsageError || error instanceof RangeError ? 2 : 1;
  }
}

async function run(command, args, options) {
  const day = options.today === undefined ? today() : parseDay(options.today);
  const store = new Store(options.db ?? process.env.FLASHCARDS_DB ?? join(homedir(), '.flashcards.db'));
  try {
    await command({ store, day, args, options, print: console.log, input: process.stdin });
  } finally {
    store.close();
  }
}

function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
}
