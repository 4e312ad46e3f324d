/** Why an address is not read. The message is for the model. */
export class WebRefusal extends Error {}
