// How each sound is made: tones and noises, each with its beginning, its length and its loudness.
import type { Sound } from "./sound";

const RATE = 44_100;

interface Part {
  at?: number; // seconds
  length: number;
  loud: number; // 0 to 1
  tone?: number; // hertz; without one it is noise
  slide?: number; // the tone or filter ends at so many hertz
  shape?: OscillatorType;
  filter?: [BiquadFilterType, number, number?]; // of noise: kind, hertz, sharpness
  rise?: number; // seconds until it is loudest
}

const ping = (tone: number, at: number, loud = 0.25, length = 0.35): Part[] => [
  { tone, at, loud, length },
  { tone: tone * 2.76, at, loud: loud * 0.4, length: length * 0.5 }, // an overtone of metal
];
const note = (tone: number, at: number, length = 0.3, loud = 0.22): Part => ({ tone, at, length, loud, shape: "triangle", rise: 0.015 });

const recipes: Record<Sound, Part[]> = {
  card: [
    { length: 0.07, loud: 0.5, filter: ["bandpass", 2600, 0.8], slide: 1400 },
    { at: 0.05, length: 0.05, loud: 0.35, filter: ["lowpass", 900] },
  ],
  pick: [{ length: 0.04, loud: 0.6, filter: ["bandpass", 1800, 1.2] }, ...ping(1320, 0, 0.28, 0.18), { tone: 180, length: 0.08, loud: 0.35 }],
  coins: [...ping(2100, 0), ...ping(2650, 0.07, 0.2), ...ping(2350, 0.13, 0.22), ...ping(3100, 0.21, 0.16)],
  dynamite: [
    { length: 1.1, loud: 0.95, filter: ["lowpass", 1400], slide: 60, rise: 0.004 },
    { tone: 90, slide: 30, length: 0.7, loud: 0.8 },
  ],
  splash: [
    { length: 0.45, loud: 0.4, filter: ["bandpass", 700, 0.7], slide: 1900, rise: 0.03 },
    { at: 0.2, tone: 620, slide: 980, length: 0.1, loud: 0.12 },
  ],
  turn: [note(659, 0, 0.22), note(880, 0.13, 0.4)],
  won: [note(523, 0), note(659, 0.14), note(784, 0.28), note(1047, 0.42, 0.8, 0.28), note(784, 0.42, 0.8, 0.14)],
  lost: [note(440, 0), note(415, 0.18), note(349, 0.36, 0.7)],
};

/** A sound as samples, none of them louder than can be played. */
async function render(sound: Sound): Promise<AudioBuffer> {
  const parts = recipes[sound];
  const ends = Math.max(...parts.map(({ at = 0, length }) => at + length));
  const context = new OfflineAudioContext(1, Math.ceil(ends * RATE), RATE);
  for (const { at = 0, length, loud, tone, slide, shape, filter, rise = 0.002 } of parts) {
    const gain = context.createGain();
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(loud, at + rise);
    gain.gain.exponentialRampToValueAtTime(0.001, at + length);
    gain.connect(context.destination);
    if (tone !== undefined) {
      const source = new OscillatorNode(context, { type: shape ?? "sine", frequency: tone });
      if (slide) source.frequency.exponentialRampToValueAtTime(slide, at + length);
      source.connect(gain);
      source.start(at);
      source.stop(at + length);
      continue;
    }
    const noise = context.createBuffer(1, Math.ceil(length * RATE), RATE);
    noise.copyToChannel(Float32Array.from({ length: noise.length }, () => Math.random() * 2 - 1), 0);
    const source = new AudioBufferSourceNode(context, { buffer: noise });
    const [type, frequency, Q = 0.7] = filter ?? ["lowpass", 8000];
    const shaped = new BiquadFilterNode(context, { type, frequency, Q });
    if (slide) shaped.frequency.exponentialRampToValueAtTime(slide, at + length);
    source.connect(shaped).connect(gain);
    source.start(at);
  }
  const buffer = await context.startRendering();
  const samples = buffer.getChannelData(0);
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  samples.forEach((sample, i) => (samples[i] = sample / peak));
  return buffer;
}

const made = new Map<Sound, Promise<AudioBuffer>>();
let output: AudioContext | undefined;

export async function playNow(sound: Sound, volume: number): Promise<void> {
  output ??= new AudioContext();
  if (!made.has(sound)) made.set(sound, render(sound));
  const buffer = await made.get(sound)!;
  const source = new AudioBufferSourceNode(output, { buffer });
  source.connect(new GainNode(output, { gain: volume })).connect(output.destination);
  source.start();
}
