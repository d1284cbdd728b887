// Steps a batch with fixed actions and prints the SHA-256 of all observations; equal arguments give
// the digest of clients/cpp/digest.cc.
//
// usage: node digest.mjs ADDRESS SCENARIO_FILE NUM_ENVS STEPS SEED

import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {Client} from './index.js';

// Some number in [-1, 1) that every language computes alike. All products stay below 2^53.
function actionOf(slot, step, component) {
  return (slot * 2654435761 + step * 40503 + component * 9973) % 2 ** 32 / 2 ** 31 - 1;
}

function actionsOf(spec, step) {
  const components = spec.num_agents * spec.action.shape[0];
  const actions = new Float32Array(spec.num_envs * components);
  for (let slot = 0; slot < spec.num_envs; ++slot) {
    for (let k = 0; k < components; ++k) actions[slot * components + k] = actionOf(slot, step, k);
  }
  return actions;
}

async function digest(address, file, numEnvs, steps, seed) {
  const client = new Client(address);
  await client.serverInfo();
  const scenario = await client.call(
      'RegisterScenario', {name: basename(file), yaml: readFileSync(file, 'utf8')});
  const batch = await client.createBatch({
    scenarios: [{scenario_id: scenario.scenario_id}],
    num_envs: Number(numEnvs),
    seed,
    owner: 'digest.mjs',
  });

  const hash = createHash('sha256');
  const add = (parts) => parts.forEach((part) => hash.update(part.state.observations));
  add(await batch.reset({seed}));
  for (let step = 0; step < Number(steps); ++step) add(await batch.step(actionsOf(batch.spec, step)));
  await batch.destroy();
  client.close();
  return hash.digest('hex');
}

const parameters = process.argv.slice(2);
if (parameters.length !== 5) {
  console.error('usage: node digest.mjs ADDRESS SCENARIO_FILE NUM_ENVS STEPS SEED');
  process.exit(64);
}
console.log(await digest(...parameters));
