export { type ReadAnswerOptions, readAnswer } from './read-answer.ts';
