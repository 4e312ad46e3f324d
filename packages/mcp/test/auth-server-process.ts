/** Starts a server that wants a login, and prints its address. */
import { AuthServer } from './auth-server.ts';

const { url } = await AuthServer.open();
console.log(url);
