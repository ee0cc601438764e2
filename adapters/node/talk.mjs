// What adapters in Node share: lines, clock, and ids of records. See docs/adapters.md.
import { createInterface } from 'node:readline'
import { setTimeout as elapsed } from 'node:timers/promises'
import { now, say, tell, write } from './lines.mjs'
import { Member } from './member.mjs'

const BEGINNING_MS = 3_000 // who is told to stop goes on beginning for so long

let open = 0 // records without an outcome
let hasFailed = false // a record of the open transaction, and the library does not know it
const awaiting = [] // who waits until there is none

function ended(count) {
  open -= count
  if (open === 0) awaiting.splice(0).forEach((resolve) => resolve())
}

const allEnded = () => new Promise((resolve) => (open === 0 ? resolve() : awaiting.push(resolve)))

// These were all appended to one partition, the first at this offset; null where the library was told none.
function acknowledged(first, count, offset) {
  tell(first, count, offset)
  ended(count)
}

function failed(first, count, failure) {
  const at = now()
  const records = Array.from({ length: count }, (_, number) => [first + number, at])
  say('error', { code: null, retriable: false, refused: false, ...failure, records })
  ended(count)
}

// Its key, its value, and the header by which it is known, if it is: an object with that name.
function messageOf({ keys, values, header, headers }, at) {
  return [keys?.[at] ?? null, values[at], headers && { [header]: headers[at] }]
}

// Sends what one line has, all to one partition, in one call: it is answered as one, with the offset of the first.
async function produce(library, producer, told) {
  if (producer.hand) return handEach(library, producer, told)
  const count = told.values.length
  const messages = told.values.map((_, at) => messageOf(told, at))
  open += count
  let answer
  try {
    answer = await producer.send(told.topic, told.partition, messages)
  } catch (error) {
    hasFailed = true
    return failed(told.first, count, library.failure(error))
  }
  if (answer.partition === told.partition) return acknowledged(told.first, count, answer.offset)
  hasFailed = true
  const where = answer.partition === undefined ? 'nowhere' : `in partition ${answer.partition}`
  const text = `the library says that what was for partition ${told.partition} is ${where}`
  return failed(told.first, count, { error: 'OtherPartition', text })
}

// Hands over each record of a line in a call of its own, to a library that reports each: done(error, offset). What the
// call itself throws the library has not taken; it would commit a transaction without it.
function handEach(library, producer, told) {
  told.values.forEach((_, at) => {
    const id = told.first + at
    const done = (error, offset) => (error ? failed(id, 1, library.failure(error)) : acknowledged(id, 1, offset))
    open += 1
    try {
      producer.hand(told.topic, told.partition, messageOf(told, at), done)
    } catch (error) {
      hasFailed = true
      failed(id, 1, { ...library.failure(error), refused: true })
    }
  })
}

// A step of a transaction, by the function of this name that the library's producer has. Where one of its records has
// failed, which the library told whoever sent it, it is not committed. A library that reports each record waits for
// these reports itself, and says of a failed one that the transaction has to be aborted.
async function take(library, producer, step) {
  const told = { error: null, text: '', code: null, demands: null, unconfirmed: false }
  if (step !== 'begin' && !producer.hand) await allEnded()
  try {
    if (step === 'commit' && hasFailed) Object.assign(told, { error: 'RecordFailed', demands: 'abort' })
    else await producer[step]()
    if (step === 'abort') hasFailed = false
  } catch (error) {
    const { error: name, text, code = null } = library.failure(error)
    Object.assign(told, { error: name, text, code, ...library.demanded(error, step) })
  }
  if (step !== 'begin') await allEnded()
  say('transaction', { step, at_ns: now(), ...told })
}

async function beginning(library, told) {
  const ready = () => say('ready')
  const member = told.role === 'member' ? new Member(told, { now, say, library }) : null
  const begun = await (member ? library.join(told, member, ready) : library.begin(told))
  if (member) member.started(begun)
  else ready()
  return member ? [null, member] : [begun, null]
}

// The whole adapter: `library` has name, version, settings, compression, begin(told) and failure(error); if it can be a
// member of a group, `member`, what such can be set to, and join(told, member), which returns its
// consumer and has said before that it is ready. One that has transactions has `transactions`, what such can be given, and
// demanded(error, step), which says what has to be done then, and whether the step may have been done.
export async function run(library) {
  const { name, version, settings, compression, member, transactions, pipelines, keeps_order, headers } = library
  const roles = member ? ['producer', 'member'] : ['producer']
  const capabilities = { roles, settings, compression, member, transactions, pipelines, keeps_order, headers }
  say('hello', { protocol: 1, library: name, version, clock: 'monotonic', at_ns: now(), capabilities })
  write()
  process.on('unhandledRejection', (error) => say('complaint', { text: String(error) }))
  const lines = createInterface({ input: process.stdin })
  const stopped = new Promise((resolve) => {
    lines.on('line', (line) => JSON.parse(line).do === 'stop' && resolve())
    lines.on('close', resolve)
  })
  let producer, joined
  for await (const line of lines) {
    const told = JSON.parse(line)
    if (told.do === 'begin') {
      try {
        const begun = await Promise.race([beginning(library, told), stopped.then(() => elapsed(BEGINNING_MS))])
        if (begun === undefined) break // nobody has answered it
        ;[producer, joined] = begun
      } catch (error) {
        say('fatal', { text: `it cannot begin: ${error}` })
      }
    }
    if (told.do === 'produce') produce(library, producer, told)
    if (told.do === 'transaction') await take(library, producer, told.step)
    if (told.do === 'flush') allEnded().then(() => say('flushed', { at_ns: now() }))
    if (told.do === 'busy' && joined) joined.busyMs = told.for_us / 1000
    if (told.do === 'stop') break
  }
  await allEnded()
  if (producer) await producer.close()
  if (joined) await joined.stop()
  say('ended')
  write()
  process.stdout.write('', () => process.exit(0))
}
