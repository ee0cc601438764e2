// @platformatic/kafka as a client of Highwater: see docs/adapters.md.
import { createRequire } from 'node:module'
import { Consumer, FetchIsolationLevels, ProduceAcks, Producer } from '@platformatic/kafka'
import { run } from '../node/talk.mjs'

const UNKNOWN = { producerId: -1n, producerEpoch: -1 } // who has none yet; its own are those of a producer 0
const ACKS = { all: ProduceAcks.ALL, 1: ProduceAcks.LEADER, 0: ProduceAcks.NO_RESPONSE }

async function begin({ client, bootstrap, settings }) {
  const acks = ACKS[settings.acks]
  const requestTimeout = settings['request.timeout.ms']
  const transactionalId = settings['transactional.id']
  const made = () => new Producer({
    ...(requestTimeout && { requestTimeout }), // given as undefined it would not be its own
    ...(transactionalId && { transactionalId, timeout: settings['transaction.timeout.ms'] }),
    clientId: client,
    bootstrapBrokers: bootstrap.split(','),
    idempotent: settings['enable.idempotence'],
    retries: settings.retries,
    compression: settings['compression.type'],
    maxInflights: settings['max.in.flight.requests.per.connection'],
  })
  let producer = made()
  const register = async () => (await producer.beginTransaction(UNKNOWN)).cancel() // the first one registers the id
  if (transactionalId) await register()
  let transaction // the open one
  let isEmpty, hasFailed // a broker knows nothing of it yet; one of its records was not acknowledged
  let last = Promise.resolve() // send of the open transaction: it adds the partitions of one at a time
  const inTurn = (send) => {
    const mine = last.then(send)
    last = mine.catch(() => {})
    return mine
  }
  const end = (step) => (isEmpty ? transaction.cancel() : transaction[step]())
  const bytes = (text) => (text === null ? undefined : Buffer.from(text))
  const headersOf = (told) => new Map(Object.entries(told).map((pair) => pair.map(bytes)))
  return {
    async send(topic, partition, records) {
      const messages = records.map(([key, value, headers]) => ({
        topic, partition, key: bytes(key), value: bytes(value), headers: headers && headersOf(headers),
      }))
      isEmpty = false
      const sending = transaction ? inTurn(() => transaction.send({ acks, messages })) : producer.send({ acks, messages })
      const sent = await sending.catch((error) => {
        hasFailed = true
        throw error
      })
      if (acks === ProduceAcks.NO_RESPONSE) return { partition, offset: null }
      const answer = sent.offsets?.[0]
      return { partition: answer?.partition, offset: Number(answer?.offset) }
    },
    async begin() {
      transaction = await producer.beginTransaction()
      isEmpty = true
    },
    commit: () => end('commit'),
    // Of a producer whose record has failed no broker takes what comes next, for its sequence numbers count that one; it
    // may have added no partition yet, and cannot end such a transaction. Another one with its id aborts what is open.
    async abort() {
      if (!hasFailed) return end('abort')
      await producer.close()
      producer = made()
      await register()
      hasFailed = false
    },
    close: () => producer.close(),
  }
}

const placesOf = (dealt) => dealt.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })))

// It tells that its group deals anew, and what it has been assigned then.
async function join(told, member, ready) {
  const { settings } = told
  const sessionTimeout = settings['session.timeout.ms']
  const consumer = new Consumer({
    clientId: told.client,
    bootstrapBrokers: told.bootstrap.split(','),
    groupId: told.group,
    groupInstanceId: settings['group.instance.id'],
    metadataMaxAge: settings['metadata.max.age.ms'],
    sessionTimeout,
    heartbeatInterval: sessionTimeout / 10,
    rebalanceTimeout: 5 * sessionTimeout,
  })
  consumer.on('error', (error) => member.say('complaint', { text: String(error) })) // it could not join again
  consumer.on('consumer:group:rebalance', () => member.left('lost'))
  consumer.on('consumer:group:join', ({ assignments, generationId }) => {
    member.left('lost')
    member.assigned(placesOf(assignments ?? []), generationId)
  })
  ready()
  const stream = await consumer.consume({
    topics: told.topics,
    mode: 'committed',
    fallbackMode: settings['auto.offset.reset'],
    isolationLevel: FetchIsolationLevels[settings['isolation.level'].toUpperCase()],
    autocommit: false,
    maxWaitTime: 100,
  })
  read(stream, member).catch((error) => member.say('fatal', { text: `its stream has ended: ${error}` }))
  return {
    commit: (asked) => consumer.commit({
      offsets: asked.map((each) => ({ ...each, offset: BigInt(each.offset), leaderEpoch: -1 })),
    }),
    close: () => consumer.close(true),
  }
}

async function read(stream, member) {
  for await (const { topic, partition, offset, value, key, headers } of stream) {
    const pairs = [...headers].map(([name, told]) => [String(name), told])
    await member.handed(topic, partition, [[Number(offset), value, key, pairs]])
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

// What a broker answers while the step before is still being done the library has tried again, as often as it is told to.
const demanded = (error, step) => ({ demands: 'close', unconfirmed: step === 'commit' })

await run({
  name: '@platformatic/kafka',
  version: createRequire(import.meta.resolve('@platformatic/kafka'))('../package.json').version,
  settings: ['acks', 'enable.idempotence', 'retries', 'compression.type', 'request.timeout.ms',
    'max.in.flight.requests.per.connection'],
  compression: ['gzip', 'snappy', 'lz4', 'zstd'],
  member: ['auto.offset.reset', 'isolation.level', 'session.timeout.ms', 'group.instance.id', 'metadata.max.age.ms'],
  transactions: Producer.prototype.beginTransaction && ['transactional.id', 'transaction.timeout.ms'], // not 1.16
  headers: ['producer', 'member'],
  begin,
  demanded,
  join,
  failure,
})
