// kafkajs as a client of Highwater: see docs/adapters.md.
import { createRequire } from 'node:module'
import { run } from '../node/talk.mjs'

const require = createRequire(import.meta.url)
const { CompressionTypes, Kafka, logLevel } = require('kafkajs')
const ACKS = { all: -1, 1: 1, 0: 0 }
const CODECS = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP }

async function begin({ client, bootstrap, settings }) {
  const told = { level: logLevel.WARN, logCreator: () => ({ log }) => console.error(log.message) }
  const brokers = bootstrap.split(',')
  const requestTimeout = settings['request.timeout.ms'] // undefined is its own
  const kafka = new Kafka({ clientId: client, brokers, requestTimeout, logLevel: told.level, logCreator: told.logCreator })
  const producer = kafka.producer({
    // A message with a partition goes there; without this it warns of its own choice, which is never asked.
    createPartitioner: () => ({ message }) => message.partition,
    idempotent: settings['enable.idempotence'],
    maxInFlightRequests: settings['max.in.flight.requests.per.connection'],
    retry: { retries: settings.retries },
  })
  await producer.connect()
  const acks = ACKS[settings.acks]
  const compression = CODECS[settings['compression.type']]
  return {
    async send(topic, partition, records) {
      const messages = records.map(([key, value]) => ({ partition, key, value }))
      const [answer] = await producer.send({ topic, acks, compression, messages })
      if (acks === 0) return { partition, offset: null }
      return { partition: answer?.partition, offset: Number(answer?.baseOffset) }
    },
    close: () => producer.disconnect(),
  }
}

function failure(error) {
  const cause = error.cause ?? error // when its retries are used up, the last error
  const code = cause.name === 'KafkaJSProtocolError' ? cause.code : null
  return { error: error.name, text: error.message, code, retriable: cause.retriable === true }
}

await run({
  name: 'kafkajs',
  version: require('kafkajs/package.json').version,
  settings: ['acks', 'enable.idempotence', 'retries', 'compression.type', 'request.timeout.ms',
    'max.in.flight.requests.per.connection'],
  compression: ['gzip'],
  begin,
  failure,
})
