/** Two soft tones, made here: something waits, or something has ended. Only for those who wanted to hear it. */
import { kept } from "./kept.js";

const TONES = { waiting: [660, 880], ended: [660, 495] } as const;

export function sound(of: keyof typeof TONES, wanted: boolean = kept("sound", false)): void {
  if (!wanted || typeof AudioContext === "undefined") return;
  try {
    const audio = new AudioContext();
    TONES[of].forEach((pitch, n) => {
      const from = audio.currentTime + n * 0.14;
      const tone = audio.createOscillator();
      const loud = audio.createGain();
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0, from);
      loud.gain.linearRampToValueAtTime(0.08, from + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, from + 0.3);
      tone.connect(loud).connect(audio.destination);
      tone.start(from);
      tone.stop(from + 0.32);
    });
    setTimeout(() => void audio.close(), 1_000);
  } catch {
    // A browser that lets nothing sound is silent.
  }
}
