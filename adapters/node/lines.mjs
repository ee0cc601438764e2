// Lines that are to be written, together, and the clock.

const MOST = 1_000 // outcomes of a line

let waiting = [] // lines
let outcomes = [] // acknowledged, and in none of them yet

export const now = () => Number(process.hrtime.bigint()) // CLOCK_MONOTONIC

export function say(event, fields = {}) {
  later()
  end()
  waiting.push(JSON.stringify({ event, ...fields }))
}

// These are acknowledged, the first at this offset; they share a line with those beside them.
export function tell(first, count, offset) {
  later()
  const at = now()
  for (let number = 0; number < count; number++)
    outcomes.push([first + number, offset === null ? null : offset + number, at])
}

export function write() {
  end()
  if (waiting.length > 0) process.stdout.write(waiting.join('\n') + '\n')
  waiting = []
}

function later() {
  if (waiting.length + outcomes.length === 0) setImmediate(write)
}

function end() {
  while (outcomes.length > 0) waiting.push(JSON.stringify({ event: 'ok', records: outcomes.splice(0, MOST) }))
}
