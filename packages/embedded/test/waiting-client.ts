/**
 * `waiting-client.ts FOLDER MODE` starts the process of a model, and prints a line. `waits`: waits for the model.
 * `ends`: the process ends with this program, which asks nothing of it.
 */
import { TinyPlace } from './tiny-place.ts';

const [, , folder = '', mode] = process.argv;
const model = await new TinyPlace(folder).connect({ endsWithClient: mode === 'ends' });
const facts = mode === 'waits' ? model.facts() : new Promise(() => setInterval(() => {}, 60_000));
await model.start();
console.log('started');
await facts;
