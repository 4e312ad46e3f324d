export { type GptCounter, loadGptCounter } from './tokenizers/gpt.ts';
