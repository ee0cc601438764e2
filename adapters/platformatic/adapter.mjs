// @platformatic/kafka as a client of Highwater: see docs/adapters.md.
import { createRequire } from 'node:module'
import { ProduceAcks, Producer } from '@platformatic/kafka'
import { run } from '../node/talk.mjs'

const ACKS = { all: ProduceAcks.ALL, 1: ProduceAcks.LEADER, 0: ProduceAcks.NO_RESPONSE }

async function begin({ client, bootstrap, settings }) {
  const acks = ACKS[settings.acks]
  const requestTimeout = settings['request.timeout.ms']
  const producer = new Producer({
    ...(requestTimeout && { requestTimeout }), // given as undefined it would not be its own
    clientId: client,
    bootstrapBrokers: bootstrap.split(','),
    idempotent: settings['enable.idempotence'],
    retries: settings.retries,
    compression: settings['compression.type'],
    maxInflights: settings['max.in.flight.requests.per.connection'],
  })
  const bytes = (text) => (text === null ? undefined : Buffer.from(text))
  return {
    async send(topic, partition, records) {
      const messages = records.map(([key, value]) => ({ topic, partition, key: bytes(key), value: bytes(value) }))
      const { offsets } = await producer.send({ acks, messages })
      if (acks === ProduceAcks.NO_RESPONSE) return { partition, offset: null }
      const answer = offsets?.[0]
      return { partition: answer?.partition, offset: Number(answer?.offset) }
    },
    close: () => producer.close(),
  }
}

// An error has others: those of several brokers, of several attempts, of the parts of an answer.
function innermost(error) {
  const within = error.errors?.at(-1) ?? error.cause
  return within === undefined ? error : innermost(within)
}

function failure(error) {
  const cause = innermost(error)
  const code = typeof cause.apiCode === 'number' && cause.apiCode > 0 ? cause.apiCode : null
  const name = cause.apiId ?? cause.code ?? cause.name
  return { error: String(name), text: `${error.message}: ${cause.message}`, code, retriable: cause.canRetry === true }
}

await run({
  name: '@platformatic/kafka',
  version: createRequire(import.meta.resolve('@platformatic/kafka'))('../package.json').version,
  settings: ['acks', 'enable.idempotence', 'retries', 'compression.type', 'request.timeout.ms',
    'max.in.flight.requests.per.connection'],
  compression: ['gzip', 'snappy', 'lz4', 'zstd'],
  begin,
  failure,
})
