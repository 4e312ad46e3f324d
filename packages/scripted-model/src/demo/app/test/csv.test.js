import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatCsv, parseCsv, parseRecords } from '../src/csv.js';

it('reads plain and quoted fields', () => {
  assert.deepEqual(parseCsv('a,b\n"1,5","say ""hi"""\n'), [
    ['a', 'b'],
    ['1,5', 'say "hi"'],
  ]);
});

it('keeps line breaks inside quotes and accepts either line ending', () => {
  assert.deepEqual(parseCsv('a,"two\nlines"\r\nb,c'), [
    ['a', 'two\nlines'],
    ['b', 'c'],
  ]);
});

it('keeps empty fields, leaves out empty lines', () => {
  assert.deepEqual(parseCsv('a,\n\n,b'), [
    ['a', ''],
    ['', 'b'],
  ]);
});

it('ends a file with an empty last field', () => {
  assert.deepEqual(parseCsv('a,b,'), [['a', 'b', '']]);
});

it('writes what it can read again', () => {
  const rows = [
    ['deck', 'front', 'back'],
    ['Chem, basics', 'H"2"O', 'water\nor ice'],
  ];
  assert.deepEqual(parseCsv(formatCsv(rows)), rows);
});

it('says which column is missing and which record is uneven', () => {
  assert.throws(() => parseRecords('front\nx\n', ['front', 'back']), /column "back"/);
  assert.throws(() => parseRecords('front,back\nx,y\nz\n', ['front', 'back']), /Record 2 has 1 fields/);
});

it('refuses a quote that is never closed', () => {
  assert.throws(() => parseCsv('a,"b\n'), /never closed/);
});
