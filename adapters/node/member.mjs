// A member of a group, in Node: says what it is handed, processes it, and commits it. See docs/adapters.md.
import { setTimeout as elapsed } from 'node:timers/promises'

const COMMIT_MS = 200

export class Member {
  // `now` and `say` are those of talk.mjs; `library` has failure(error).
  constructor(begin, { now, say, library }) {
    Object.assign(this, { begin, now, say, library })
    this.held = new Map() // places by their names
    this.ends = new Map() // processed, and not committed: places with an end
    this.told = new Map() // positions
    this.busyMs = 0 // of the next poll, before what that hands out is processed
  }

  // `consumer` has commit([{ topic, partition, offset }]), which waits for the answer, and close().
  started(consumer) {
    this.consumer = consumer
    this.timer = setInterval(() => this.commit(), COMMIT_MS)
  }

  assigned(places, generation = null) {
    const named = places.filter(({ topic, partition }) => !this.held.has(`${topic}-${partition}`))
    for (const each of named) this.held.set(`${each.topic}-${each.partition}`, each)
    this.deal('assigned', named, generation)
  }

  // All that it holds, or these places. Whoever tells it only when they are gone has nothing to commit of them any more.
  left(event, generation = null, places = [...this.held.values()]) {
    const gone = places.filter(({ topic, partition }) => this.held.delete(`${topic}-${partition}`))
    for (const { topic, partition } of gone) {
      this.ends.delete(`${topic}-${partition}`)
      this.told.delete(`${topic}-${partition}`)
    }
    if (gone.length > 0) this.deal(event, gone, generation)
  }

  deal(event, places, generation) {
    const partitions = places.map(({ topic, partition }) => [topic, partition])
    this.say(event, { at_ns: this.now(), partitions, generation })
  }

  // Records of one partition: [offset, value, key, headers], of which value and key are Buffers or null, and headers
  // pairs of a name and a Buffer, in their order. Who stops takes no more.
  async handed(topic, partition, records) {
    if (this.isStopping) return
    this.processing = this.process(topic, partition, records)
    await this.processing
  }

  async process(topic, partition, records) {
    const text = (told) => (told === null || told === undefined ? null : told.toString())
    const header = this.begin.headers?.[topic] // by which its records are known; of several of the name the last
    const told = records.map(([offset, value, key, headers]) => [
      offset, text(value), text(key), ...(header === undefined ? [] : [text(new Map(headers).get(header))]),
    ])
    this.say('polled', { at_ns: this.now(), topic, partition, records: told })
    const name = `${topic}-${partition}`
    const end = records.at(-1)[0] + 1
    // What was on its way may come after its partition was given up: others commit there.
    const reach = () => this.held.has(name) && this.ends.set(name, { topic, partition, offset: end })
    if (this.begin.commits === 'before') {
      reach()
      await this.commit()
    }
    await this.rest(records.length)
    const offsets = spans(records).map((span) => [topic, partition, ...span])
    this.say('processed', { at_ns: this.now(), offsets })
    if (this.begin.commits !== 'before') reach()
  }

  // For as long as so many records are to take, and as it is to be busy.
  async rest(count) {
    const ms = ((this.begin.processing_us ?? 0) * count) / 1000 + this.busyMs
    this.busyMs = 0
    if (ms > 0) await elapsed(ms)
  }

  // Positions of a library that tells them, as far as they have moved: they lie behind what nobody is handed as well.
  // Who stops has not taken what was on its way.
  reached(positions) {
    if (this.isStopping) return
    const moved = positions.filter(({ topic, partition, offset }) => {
      const name = `${topic}-${partition}`
      return Number.isInteger(offset) && this.held.has(name) && this.told.get(name) !== offset && this.told.set(name, offset)
    })
    const offsets = moved.map(({ topic, partition, offset }) => [topic, partition, offset])
    if (offsets.length > 0) this.say('reached', { offsets })
  }

  // One after the other: who waits for one waits for those before.
  commit() {
    this.committing = (this.committing ?? Promise.resolve()).then(() => this.commitNow())
    return this.committing
  }

  async commitNow() {
    if (this.ends.size === 0) return
    const asked = [...this.ends.values()]
    this.ends.clear()
    const offsets = asked.map(({ topic, partition, offset }) => [topic, partition, offset])
    this.say('commit', { at_ns: this.now(), offsets })
    let answer = { error: null, code: null }
    try {
      await this.consumer.commit(asked)
    } catch (error) {
      const { error: name, code = null } = this.library.failure(error)
      answer = { error: name, code }
      this.say('complaint', { text: `a commit was answered by ${error}` })
    }
    this.say('committed', { at_ns: this.now(), offsets, ...answer })
  }

  async stop() {
    this.isStopping = true
    clearInterval(this.timer)
    await this.processing
    await this.commit()
    await this.consumer.close()
    this.left('revoked') // who closes a consumer that tells nothing of it has left its group
  }
}

function spans(records) {
  const found = []
  for (const [offset] of records) {
    const last = found.at(-1)
    if (last && last[1] === offset) last[1] = offset + 1
    else found.push([offset, offset + 1])
  }
  return found
}
