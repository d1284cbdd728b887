// A Planarium client in one file: the service is read from the published .proto at run time.

import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const HERE = dirname(fileURLToPath(import.meta.url));
const PROTO = process.env.PLANARIUM_PROTO ??
    join(HERE, '..', '..', 'proto', 'planarium', 'v1', 'planarium.proto');
const PROTOCOL_MAJOR = 1;

function loadService() {
  const definition = protoLoader.loadSync(PROTO, {
    keepCase: true,
    longs: String,  // 64-bit numbers do not fit a JavaScript number
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return grpc.loadPackageDefinition(definition).planarium.v1.Planarium;
}

/** A connection to a server at `address`: "unix:/run/planarium.sock", "127.0.0.1:50051". */
export class Client {
  constructor(address) {
    const Service = loadService();
    this.stub = new Service(address, grpc.credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,  // the server keeps to its chunk size
      'grpc.enable_http_proxy': 0,
    });
  }

  /** A unary call by its name in the .proto; resolves to the answer. */
  call(method, request = {}) {
    return new Promise((resolve, reject) => {
      this.stub[method](request, (error, reply) => (error ? reject(error) : resolve(reply)));
    });
  }

  /** Version, limits and catalogue; fails when the protocols do not match. */
  serverInfo() {
    return this.call('GetServerInfo', {protocol_major: PROTOCOL_MAJOR});
  }

  /** Creates a batch and attaches to it. */
  async createBatch(request) {
    const spec = await this.call('CreateBatch', request);
    const batch = new Batch(this, spec);
    await batch.attach(request.owner ?? '');
    return batch;
  }

  close() {
    this.stub.close();
  }
}

/** A batch of worlds and the stream that writes to it. One call at a time. */
export class Batch {
  constructor(client, spec) {
    this.client = client;
    this.spec = spec;
  }

  async attach(owner) {
    this.stream = this.client.stub.Attach();
    this.frames = this.stream[Symbol.asyncIterator]();
    this.stream.write({hello: {batch_id: this.spec.batch_id, protocol_major: PROTOCOL_MAJOR, owner}});
    const {welcome} = await this.#read();
    this.nextSeq = BigInt(welcome.next_seq);
  }

  /** New episodes in all slots; resolves to the parts of the reply. */
  reset({seed, mask} = {}) {
    const request = {seq: this.nextSeq.toString()};
    if (seed !== undefined) request.seed = String(seed);
    if (mask !== undefined) request.mask = Buffer.from(mask);
    return this.#exchange({reset: request});
  }

  /** One step of every slot; `actions` is a Float32Array (N, A, action width). */
  step(actions) {
    const bytes = Buffer.from(actions.buffer, actions.byteOffset, actions.byteLength);
    return this.#exchange({step: {seq: this.nextSeq.toString(), actions: bytes}});
  }

  /** Ends the stream and frees the batch. */
  async destroy() {
    this.stream.end();
    for (let frame = await this.frames.next(); !frame.done;) frame = await this.frames.next();
    await this.client.call('DestroyBatch', {batch_id: this.spec.batch_id});
  }

  // Sends a frame and reads all parts of its answer. A refused frame takes no sequence number.
  async #exchange(frame) {
    this.stream.write(frame);
    const parts = [];
    do {
      parts.push((await this.#read()).reply);
    } while (parts.length < parts[0].parts);
    this.nextSeq += 1n;
    return parts;
  }

  async #read() {
    const {value, done} = await this.frames.next();
    if (done) throw new Error('the server ended the stream');
    if (value.error) throw new Error(`${value.error.message} (code ${value.error.code})`);
    return value;
  }
}
