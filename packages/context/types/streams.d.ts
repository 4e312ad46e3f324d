/** The part of web streams that the middleware for the AI SDK uses. The package's types know no environment. */
interface ReadableStream<R> {
  pipeThrough<T>(through: { readable: ReadableStream<T>; writable: WritableStream<R> }): ReadableStream<T>;
}

interface WritableStream<W> {
  readonly locked: boolean;
  abort(reason?: W): Promise<void>;
}

declare class TransformStream<I, O> {
  constructor(transformer: { transform(chunk: I, controller: { enqueue(chunk: O): void }): void });
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;
}
