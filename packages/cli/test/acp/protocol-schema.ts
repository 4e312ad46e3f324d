import schema from '@agentclientprotocol/sdk/schema/v1/schema.json' with { type: 'json' };
import { Validator } from '@cfworker/json-schema';
import { isObject, type JsonValue } from '@longhaul/protocol';

type Side = 'agent' | 'client';

/** Validates the messages of one connection against the published schema of the protocol. */
export class ProtocolSchema {
  readonly problems: string[] = [];
  /** Number of messages that were validated. */
  count = 0;
  /** Methods of requests without a response, by who sent them and their id. */
  readonly #asked = new Map<string, string>();
  readonly #validators = new Map<string, Validator>();

  check(from: Side, message: unknown): void {
    this.count += 1;
    // As it is on the wire: keys without a value are left out.
    const problem = this.#problemOf(from, JSON.parse(JSON.stringify(message)));
    if (problem !== undefined) this.problems.push(`${problem}: ${JSON.stringify(message).slice(0, 2_000)}`);
  }

  #problemOf(from: Side, message: unknown): string | undefined {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') return 'no message of JSON-RPC 2.0';
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      if (id !== undefined) this.#asked.set(`${from} ${JSON.stringify(id)}`, method);
      const definition = definitionOf(method, id === undefined ? 'Notification' : 'Request');
      return this.#invalid(definition, params);
    }
    const asker = from === 'agent' ? 'client' : 'agent';
    const asked = this.#asked.get(`${asker} ${JSON.stringify(id)}`);
    if (error !== undefined) return this.#invalid('Error', error);
    if (asked === undefined) return 'a response to no request';
    return this.#invalid(definitionOf(asked, 'Response'), result);
  }

  #invalid(definition: string | undefined, value: JsonValue | undefined): string | undefined {
    if (definition === undefined) return 'a method that the schema does not have';
    const validator =
      this.#validators.get(definition) ??
      new Validator({ $defs: schema.$defs, $ref: `#/$defs/${definition}` }, '2020-12');
    this.#validators.set(definition, validator);
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : `not a ${definition}: ${errors.map(({ error }) => error).join('; ')}`;
  }
}

function definitionOf(method: string, kind: 'Request' | 'Notification' | 'Response'): string | undefined {
  return Object.entries(schema.$defs).find(
    ([name, definition]) =>
      'x-method' in definition && definition['x-method'] === method && name.endsWith(kind),
  )?.[0];
}
