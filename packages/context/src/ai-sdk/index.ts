export { type ContextMiddlewareOptions, contextMiddleware } from './context-middleware.ts';
