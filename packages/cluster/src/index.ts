export { type DispatcherOptions, type JobDispatcher, openDispatcher } from './open-dispatcher.ts';
