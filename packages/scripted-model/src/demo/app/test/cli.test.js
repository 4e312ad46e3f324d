import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url));
const DAY = '2026-03-01';

let folder;
let database;
let databases = 0;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'flashcards-cli-'));
});
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  databases += 1;
  database = join(folder, `cards-${databases}.db`);
});

/** Runs the program as a user does: its own process, a real database file. */
function flashcards(args, { day = DAY, input = '' } = {}) {
  const run = spawnSync(process.execPath, [CLI, '--db', database, '--today', day, ...args], {
    input,
    encoding: 'utf8',
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

function addCard() {
  return flashcards(['add', 'Spanish', 'la mesa', 'the table']).out.slice(0, 6);
}

describe('a card from the first day on', () => {
  it('is due at once, then after 1 and 6 days', () => {
    const id = addCard();
    assert.match(flashcards(['due']).out, /la mesa\n1 card due on 2026-03-01/);
    const answer = (day) => flashcards(['review', '--card', id, '--quality', '4'], { day }).out;
    assert.equal(answer(DAY), `${id}  next on 2026-03-02, in 1 day\n`);
    assert.equal(answer('2026-03-02'), `${id}  next on 2026-03-08, in 6 days\n`);
    assert.match(flashcards(['due'], { day: '2026-03-07' }).out, /^0 cards due/);
  });

  it('is listed with its id, and gone when removed', () => {
    const id = addCard();
    assert.match(flashcards(['list']).out, new RegExp(`^${id}  2026-03-01  Spanish: la mesa — the table`));
    assert.equal(flashcards(['remove', id]).code, 0);
    assert.equal(flashcards(['list']).out, '0 cards\n');
  });
});

describe('a sitting', () => {
  it('asks again what was not fluent, and schedules by the first answer', () => {
    addCard();
    const { out } = flashcards(['review'], { input: '\n3\n\n5\n' });
    assert.equal(out.match(/Enter shows the answer/g).length, 2);
    assert.match(out, /next on 2026-03-02/);
    assert.match(out, /1 card reviewed, 0 still due/);
    assert.match(flashcards(['stats']).out, /Spanish\t1\t0\t0\t0\t1\t100 %/);
  });

  it('ends at the end of input and keeps what was answered', () => {
    addCard();
    flashcards(['add', 'Spanish', 'la silla', 'the chair']);
    const { code, out } = flashcards(['review'], { input: '\n4\n' });
    assert.equal(code, 0);
    assert.match(out, /1 card reviewed, 1 still due/);
  });
});

describe('CSV', () => {
  it('comes out as it went in', () => {
    const file = join(folder, 'deck.csv');
    const text = 'deck,front,back\nChem,"H2O, liquid",water\nChem,NaCl,"salt\n(table)"\n';
    writeFileSync(file, text);
    assert.equal(flashcards(['import', file]).out, '2 cards imported, 0 already there\n');
    assert.equal(flashcards(['import', file]).out, '0 cards imported, 2 already there\n');
    assert.equal(flashcards(['export']).out, text);
  });
});

describe('a mistake', () => {
  it('is named in one line, with exit code 2', () => {
    for (const [args, message] of [
      [['ad'], /no command "ad"/],
      [['add', 'Spanish'], /Expected DECK FRONT BACK/],
      [['review', '--card', 'ffffff', '--quality', '9'], /No card has the id ffffff/],
      [['list', '--today', '2026-02-30'], /Expected a day/],
      [['list', '--colour'], /Unknown option/],
    ]) {
      const { code, err } = flashcards(args);
      assert.equal(code, 2);
      assert.match(err, message);
      assert.doesNotMatch(err, /\n {4}at /);
    }
  });
});
