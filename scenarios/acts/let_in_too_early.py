"""What 2.8.0 lets into the ISR: a follower that has to cut its log first (KAFKA-13141).

The leader takes the offset that a follower asks from for the end of its log, though its answer says
that the log has parted before. A follower that has more than the leader is in sync by that, below
the high watermark, until it has cut its log and fetched what is missing.
"""

LET_IN_TOO_EARLY = {"committed-truncation": "KAFKA-13141: it is in sync before it has cut its log"}
ON_2_8_0 = {"committed-truncation": "==2.8.0"}
