// The default of a second is too short for a machine with other work: only what never comes is a failure.
if (globalThis.document !== undefined) {
  const { configure } = await import('@testing-library/react');
  configure({ asyncUtilTimeout: 60_000 });
}

export {};
