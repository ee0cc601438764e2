// Compiles what npm has brought as source: `node build.mjs library` librdkafka, and then `node build.mjs binding PYTHON`
// the binding of Node to it. No script of the package is run: librdkafka's configure and make are, and node-gyp, with
// headers that are here.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const PACKAGE = join(HERE, 'node_modules', '@confluentinc', 'kafka-javascript')
const LIBRARY = join(PACKAGE, 'deps', 'librdkafka')
const ARCHIVES = join(HERE, 'archives') // of the library, so that there is one file to load afterwards
const MADE = join(PACKAGE, 'build')
const JOBS = '-j2' // make's own -j compiles everything at once
// Nothing of this machine's but what each C library has: the adapter can do the same wherever it is built.
const WITHOUT = ['ssl', 'gssapi', 'curl', 'zlib', 'zstd', 'lz4-ext', 'syslog'].map((each) => `--disable-${each}`)

// Node's own packages have the headers beside it, npm's package `node` in one for this platform, Debian in libnode-dev.
function headers() {
  const prefix = join(dirname(realpathSync(process.execPath)), '..')
  const platform = `node-${process.platform}-${process.arch}`
  const places = [prefix, join(prefix, 'node_modules', platform), join(prefix, '..', platform)]
  const fileOf = (place) => join(place, 'include', 'node', 'node_version.h')
  const found = places.find((place) => existsSync(fileOf(place)))
  const own = process.versions.node
  if (!found) throw new Error(`expected the headers of Node ${own} in ${dirname(fileOf(prefix))}, saw none`)
  const [, there] = /define NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(fileOf(found), 'utf8'))
  if (there !== own.split('.')[0]) throw new Error(`expected headers of Node ${own} in ${found}, saw those of ${there}`)
  return found
}

function run(program, words, folder, more = {}) {
  execFileSync(program, words, { cwd: folder, stdio: 'inherit', env: { ...process.env, ...more } })
}

function compileLibrary() {
  run('./configure', ['--enable-static', '--disable-debug-symbols', ...WITHOUT], LIBRARY)
  mkdirSync(ARCHIVES, { recursive: true })
  for (const [folder, name] of [['src', 'librdkafka.a'], ['src-cpp', 'librdkafka++.a']]) {
    run('make', [JOBS, '-C', folder, name], LIBRARY)
    copyFileSync(join(LIBRARY, folder, name), join(ARCHIVES, name))
  }
}

function compileBinding(prefix, python) {
  const tool = join(HERE, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js')
  const sources = ['src', 'src-cpp'].map((each) => `-I${join(LIBRARY, each)}`).join(' ')
  const given = { BUILD_LIBRDKAFKA: '0', CXXFLAGS: sources, LDFLAGS: `-L${ARCHIVES}` }
  run(process.execPath, [tool, 'rebuild', '--jobs=2', `--nodedir=${prefix}`, `--python=${python}`], PACKAGE, given)
}

// What the compilers leave is a hundred times what they make.
function tidy() {
  const name = 'confluent-kafka-javascript.node'
  renameSync(join(MADE, 'Release', name), join(HERE, name))
  for (const each of [MADE, join(PACKAGE, 'deps'), ARCHIVES]) rmSync(each, { recursive: true, force: true })
  mkdirSync(join(MADE, 'Release'), { recursive: true })
  renameSync(join(HERE, name), join(MADE, 'Release', name))
}

const [what, python] = process.argv.slice(2)
try {
  const prefix = headers() // before what takes minutes
  if (what === 'library') compileLibrary()
  if (what === 'binding') {
    compileBinding(prefix, python)
    tidy()
  }
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
