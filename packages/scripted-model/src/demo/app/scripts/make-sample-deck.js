// Prints the times tables from 11 × 11 to 30 × 20 as a deck of 200 cards in CSV.
// Usage: node scripts/make-sample-deck.js > samples/times-tables.csv

import { formatCsv } from '../src/csv.js';

const rows = [['deck', 'front', 'back']];
for (let left = 11; left <= 30; left += 1) {
  for (let right = 11; right <= 20; right += 1) {
    rows.push(['Times tables', `${left} × ${right}`, `${left * right}, as ${hint(left, right)}`]);
  }
}
process.stdout.write(formatCsv(rows));

/** How one would work it out in the head: tens first. */
function hint(left, right) {
  const tens = Math.floor(right / 10) * 10;
  const ones = right - tens;
  return ones === 0 ? `${left} × ${tens}` : `${left * tens} + ${left * ones}`;
}
