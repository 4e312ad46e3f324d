import { describeModelDriver } from '@longhaul/testing/contracts';
import { openEmbeddedServer } from '../test/open-embedded-server.ts';

describeModelDriver('embedded', openEmbeddedServer);
