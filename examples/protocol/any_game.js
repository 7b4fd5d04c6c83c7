// Plays a random legal move in any game, the same ones for the same seed. It speaks the protocol of docs/protocol.md:
//
//     kibitz arena connect_four 'cmd:node examples/protocol/any_game.js' random

const readline = require("node:readline");

let random;

// A small generator with 32 bits of state, mulberry32: Math.random() cannot be given a seed.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function answer(question) {
  switch (question.type) {
    case "hello":
      return { name: "any game", protocol: 1 };
    case "new_game":
      random = generator(question.seed);
      return {};
    case "move":
      return { move: question.names[Math.floor(random() * question.names.length)] };
    default: // a result, or a question of a later version
      return {};
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id: question.id, ...answer(question) }) + "\n");
});
