// kafkajs as a client of Highwater: see docs/adapters.md.
import { createRequire } from 'node:module'
import { run } from '../node/talk.mjs'

const require = createRequire(import.meta.url)
const { CompressionTypes, Kafka, logLevel } = require('kafkajs')
const { version } = require('kafkajs/package.json')
const ACKS = { all: -1, 1: 1, 0: 0 }
const CODECS = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP }

function kafkaOf({ client, bootstrap, settings }) {
  const logCreator = () => ({ log }) => console.error(log.message)
  const brokers = bootstrap.split(',')
  const requestTimeout = settings['request.timeout.ms'] // undefined is its own
  return new Kafka({ clientId: client, brokers, requestTimeout, logLevel: logLevel.WARN, logCreator })
}

async function begin(told) {
  const { settings } = told
  const kafka = kafkaOf(told)
  const producer = kafka.producer({
    // A message with a partition goes there; without this it warns of its own choice, which is never asked.
    createPartitioner: () => ({ message }) => message.partition,
    idempotent: settings['enable.idempotence'],
    maxInFlightRequests: settings['max.in.flight.requests.per.connection'],
    retry: { retries: settings.retries },
    transactionalId: settings['transactional.id'],
    transactionTimeout: settings['transaction.timeout.ms'],
  })
  await producer.connect()
  let sender = producer // in a transaction it is that
  if (settings['transactional.id']) await (await producer.transaction()).abort() // the first one registers the id
  const acks = ACKS[settings.acks]
  const compression = CODECS[settings['compression.type']]
  return {
    async send(topic, partition, records) {
      const messages = records.map(([key, value, headers]) => ({ partition, key, value, headers }))
      const [answer] = await sender.send({ topic, acks, compression, messages })
      if (acks === 0) return { partition, offset: null }
      return { partition: answer?.partition, offset: Number(answer?.baseOffset) }
    },
    begin: async () => { sender = await producer.transaction() },
    commit: () => sender.commit(),
    abort: () => sender.abort(),
    close: () => producer.disconnect(),
  }
}

// It tells what it has been assigned, and only afterwards that it holds nothing any more.
async function join(told, member, ready) {
  const { settings } = told
  const sessionTimeout = settings['session.timeout.ms']
  const consumer = kafkaOf(told).consumer({
    groupId: told.group,
    sessionTimeout,
    heartbeatInterval: sessionTimeout / 10,
    rebalanceTimeout: 5 * sessionTimeout,
    metadataMaxAge: settings['metadata.max.age.ms'],
    readUncommitted: settings['isolation.level'] === 'read_uncommitted',
    maxWaitTimeInMs: 100,
    retry: { restartOnFailure: async () => true },
  })
  consumer.on(consumer.events.REBALANCING, () => member.left('lost'))
  consumer.on(consumer.events.CRASH, () => member.left('lost'))
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    member.left('lost')
    const dealt = Object.entries(payload.memberAssignment)
    member.assigned(dealt.flatMap(([topic, some]) => some.map((partition) => ({ topic, partition }))))
  })
  await consumer.connect()
  const fromBeginning = settings['auto.offset.reset'] === 'earliest'
  for (const topic of told.topics) await consumer.subscribe({ topic, fromBeginning }) // as 1.x has it as well
  ready()
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    async eachBatch({ batch, resolveOffset, heartbeat, isRunning, isStale }) {
      const records = batch.messages.map(({ offset, value, key, headers }) => [Number(offset), value, key, pairsOf(headers)])
      for (let at = 0; at < records.length && isRunning() && !isStale(); at += told.at_once) {
        const some = records.slice(at, at + told.at_once)
        await member.handed(batch.topic, batch.partition, some)
        resolveOffset(String(some.at(-1)[0]))
        await heartbeat()
      }
    },
  })
  return {
    commit: (asked) => consumer.commitOffsets(asked.map((each) => ({ ...each, offset: String(each.offset) }))),
    close: () => consumer.disconnect(),
  }
}

// Several of one name it hands out as one, which has their values.
const pairsOf = (headers) => Object.entries(headers ?? {}).flatMap(([name, some]) => [some].flat().map((value) => [name, value]))

function failure(error) {
  const cause = error.cause ?? error // when its retries are used up, the last error
  const code = cause.name === 'KafkaJSProtocolError' ? cause.code : null
  return { error: error.name, text: error.message, code, retriable: cause.retriable === true }
}

// After an end that failed it is in no transaction any more, and begins no other: there is nothing left to be called.
const demanded = (error, step) => ({ demands: 'close', unconfirmed: step === 'commit' })

await run({
  name: 'kafkajs',
  version,
  settings: ['acks', 'enable.idempotence', 'retries', 'compression.type', 'request.timeout.ms',
    'max.in.flight.requests.per.connection'],
  compression: ['gzip'],
  member: ['auto.offset.reset', 'isolation.level', 'session.timeout.ms', 'metadata.max.age.ms'],
  // 1.x ends also a transaction that nothing was sent in at the broker, which refuses that.
  transactions: version.startsWith('1.') ? undefined : ['transactional.id', 'transaction.timeout.ms'],
  headers: ['producer', 'member'],
  begin,
  demanded,
  join,
  failure,
})
