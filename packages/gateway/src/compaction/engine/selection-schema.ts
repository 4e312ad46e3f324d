const TEXT = { type: 'string' };

function objectOf(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The JSON schema of a selecting model's answer. A server that knows schemas lets the model write nothing else. */
export const SELECTION_SCHEMA: object = objectOf({
  keep: { type: 'array', items: TEXT },
  condense: { type: 'array', items: objectOf({ id: TEXT, text: TEXT }) },
  summary: TEXT,
});
