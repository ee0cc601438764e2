// A member of a group by Confluent's client: see ../node/member.mjs.
import { ERRORS, KafkaConsumer, called, configOf, connected } from './client.mjs'

const POLL_MS = 50

// It tells what it is assigned and what it has to give up, and goes on when it is told to assign or to unassign that.
export async function join(told, member, ready) {
  let dealing = Promise.resolve() // one after the other
  const complain = (error) => member.say('complaint', { text: `what its group dealt: ${error}` })
  const consumer = new KafkaConsumer({
    ...configOf(told),
    'group.id': told.group,
    'enable.auto.commit': false,
    rebalance_cb: (event, places) => {
      dealing = dealing.then(() => deal(consumer, member, event, places)).catch(complain)
    },
  })
  consumer.setDefaultConsumeTimeout(POLL_MS)
  consumer.setDefaultIsTimeoutOnlyForFirstMessage(true) // else it waits as long for each of so many
  await connected(consumer)
  ready()
  consumer.subscribe(told.topics)
  const reading = read(consumer, member, told.at_once, () => dealing).catch((error) => {
    member.say('fatal', { text: `it is handed nothing any more: ${error}` })
  })
  return {
    // Who calls commitCb is called back before the answer; until then nothing else is done here, nor written.
    commit: async (asked) => {
      await new Promise(setImmediate)
      consumer.commitSync(asked)
    },
    async close() {
      await reading
      await called((done) => consumer.disconnect(done))
      await dealing
    },
  }
}

// What was processed of partitions that are given up is committed first, unless they are somebody else's already.
async function deal(consumer, member, event, places) {
  const isShared = consumer.rebalanceProtocol() === 'COOPERATIVE' // else these are all
  if (event.code === ERRORS.ERR__ASSIGN_PARTITIONS) {
    member.assigned(places)
    return isShared ? consumer.incrementalAssign(places) : consumer.assign(places)
  }
  const isLost = consumer.assignmentLost()
  await member.processing
  if (!isLost) await member.commit()
  member.left(isLost ? 'lost' : 'revoked', null, places)
  return isShared ? consumer.incrementalUnassign(places) : consumer.unassign()
}

async function read(consumer, member, most, dealt) {
  while (!member.isStopping) {
    const some = await called((done) => consumer.consume(most, done)).catch((error) => {
      if (error.code === ERRORS.ERR__FATAL) throw error
      return [] // such as a broker that is away: the library goes on by itself
    })
    for (const [{ topic, partition }, records] of byPlace(some)) {
      await dealt()
      await member.handed(topic, partition, records)
    }
    if (some.length === 0) await member.rest(0)
    await dealt()
    member.reached(consumer.position())
  }
}

function byPlace(messages) {
  const found = new Map()
  for (const message of messages) {
    const name = `${message.topic}-${message.partition}`
    if (!found.has(name)) found.set(name, [message, []])
    const headers = (message.headers ?? []).flatMap((each) => Object.entries(each))
    found.get(name)[1].push([message.offset, message.value, message.key, headers])
  }
  return found.values()
}
