// What its producers and its members share: settings, calls that are awaited, and errors.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
export const { CODES: { ERRORS }, KafkaConsumer, Producer } = require('@confluentinc/kafka-javascript')
export const { name, version } = require('@confluentinc/kafka-javascript/package.json')

const CONNECT_MS = 30_000
const NAMES = new Map(Object.entries(ERRORS).map(([each, code]) => [code, each]))
// librdkafka's names for Kafka's settings, where they are others.
const OWN = {
  'max.request.size': 'message.max.bytes',
  'request.timeout.ms': 'socket.timeout.ms',
  'metadata.max.age.ms': 'topic.metadata.refresh.interval.ms',
}

export function configOf({ client, bootstrap, settings }) {
  const own = Object.entries(settings).map(([setting, value]) => [OWN[setting] ?? setting, value])
  return { ...Object.fromEntries(own), 'bootstrap.servers': bootstrap, 'client.id': client }
}

// What is called back with; an error is thrown.
export const called = (call) => new Promise((resolve, reject) => {
  call((error, answer) => (error ? reject(error) : resolve(answer)))
})

export async function connected(client) {
  client.on('event.error', ({ message }) => console.error(message))
  client.on('event.log', ({ message }) => console.error(message))
  await called((done) => client.connect({ timeout: CONNECT_MS }, done))
}

// Codes below 0 are the library's own.
export function failure(error) {
  const code = error.code > 0 ? error.code : null
  return { error: NAMES.get(error.code) ?? error.name, text: error.message, code, retriable: error.isRetriable === true }
}
