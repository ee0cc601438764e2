// Confluent's client for JavaScript, a binding of Node to librdkafka, as a client of Highwater: see docs/adapters.md.
import { run } from '../node/talk.mjs'
import { ERRORS, Producer, called, configOf, connected, failure, name, version } from './client.mjs'
import { join } from './member.mjs'

const STEP_MS = 10_000 // told again, it goes on where it was
const TRIES = 3 // to register: after half a minute nobody waits for it any more
const EMPTY = Buffer.alloc(1).subarray(1)
const SOCKET_MS = 60_000 // the library's own

async function begin(told) {
  const most = told.settings['transaction.timeout.ms']
  const config = { ...configOf(told), dr_cb: true }
  // A socket that may wait for longer than a transaction may be open is refused.
  if (most) config['socket.timeout.ms'] = Math.min(config['socket.timeout.ms'] ?? SOCKET_MS, most - 100)
  const producer = new Producer(config)
  producer.on('delivery-report', (error, { offset, opaque }) => opaque(error, offset >= 0 ? offset : null))
  await connected(producer)
  producer.setPollInBackground(true)
  if (told.settings['transactional.id']) await register(producer)
  return {
    hand: (topic, partition, [key, value, headers], done) =>
      producer.produce(topic, partition, bytes(value), bytes(key), null, done, headers && [headers]),
    begin: () => called((done) => producer.beginTransaction(done)),
    commit: () => called((done) => producer.commitTransaction(STEP_MS, done)),
    abort: () => called((done) => producer.abortTransaction(STEP_MS, done)),
    close: () => called((done) => producer.disconnect(STEP_MS, done)),
  }
}

async function register(producer) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await called((done) => producer.initTransactions(STEP_MS, done))
    } catch (error) {
      if (tries === TRIES || demanded(error, 'register').demands !== 'retry') throw error
    }
  }
}

// An empty Buffer with no memory of its own the library sends as null, which deletes a key where a topic is compacted.
function bytes(text) {
  if (text === null) return null
  return text === '' ? EMPTY : Buffer.from(text)
}

// As errors of the library say of themselves.
function demanded(error, step) {
  if (error.isTxnRequiresAbort) return { demands: 'abort', unconfirmed: false }
  const isBrief = !error.isFatal && (error.isRetriable || error.code === ERRORS.ERR__TIMED_OUT)
  return { demands: isBrief ? 'retry' : 'close', unconfirmed: step !== 'begin' }
}

await run({
  name,
  version,
  settings: ['acks', 'enable.idempotence', 'retries', 'linger.ms', 'compression.type', 'delivery.timeout.ms',
    'request.timeout.ms', 'batch.size', 'max.request.size', 'max.in.flight.requests.per.connection', 'batch.num.messages'],
  compression: ['snappy', 'lz4'],
  member: ['auto.offset.reset', 'isolation.level', 'session.timeout.ms', 'group.instance.id', 'metadata.max.age.ms',
    'group.protocol', 'max.poll.interval.ms'],
  transactions: ['transactional.id', 'transaction.timeout.ms'],
  pipelines: true,
  keeps_order: true,
  headers: ['producer', 'member'],
  begin,
  demanded,
  join,
  failure,
})
